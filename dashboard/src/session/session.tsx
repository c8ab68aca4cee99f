import { MutationCache, QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { AuthenticationError, VoiceAgents, type Whoami } from '../../../sdk/src/index.ts';
import { useLanguage } from '../language/language.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { PageSkeleton } from '../parts/page-skeleton.tsx';
import { SignIn } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { storedKey } from './stored-key.ts';

export type Scope = 'agents:read' | 'agents:write' | 'keys:read' | 'keys:write' | 'audit:read';

export const allScopes: readonly Scope[] = ['agents:read', 'agents:write', 'keys:read', 'keys:write', 'audit:read'];

interface Session {
  readonly client: VoiceAgents;
  readonly whoami: Whoami;
  /** Goes on with another key of the same workspace and scopes: the one that has taken the place of this one. */
  adopt(key: string): void;
  /** At once, or when whoever guards something has been asked. */
  signOut(): void;
  /**
   * As long as something is not saved: `ask` is asked before it is lost by signing out, and has to go on with `go` if the
   * person agrees. Returns how to end it.
   */
  guard(ask: Ask): () => void;
}

type Ask = (go: () => void) => void;

/** `whoami` is what the key was greeted with when it was entered; null after a reload. */
interface Credentials {
  readonly key: string;
  readonly whoami: Whoami | null;
}

const Context = createContext<Session | null>(null);

export function newClient(apiKey: string): VoiceAgents {
  return new VoiceAgents({ apiKey, baseUrl: location.origin, timeout: 30_000 });
}

/** Shows what is inside to those who are signed in, and the sign-in to everybody else, whatever the address. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [credentials, setCredentials] = useState<Credentials | null>(() => {
    const key = storedKey.read();
    return key === null ? null : { key, whoami: null };
  });
  const [isRefused, setIsRefused] = useState(false);
  const end = useCallback((isByRefusal: boolean) => {
    storedKey.remove();
    setIsRefused(isByRefusal);
    setCredentials(null);
  }, []);
  const begin = useCallback((key: string, whoami: Whoami) => {
    storedKey.write(key);
    setIsRefused(false);
    setCredentials({ key, whoami });
  }, []);
  if (credentials === null) {
    return <SignIn onSignedIn={begin} isAfterRefusal={isRefused} />;
  }
  return (
    <SignedIn key={credentials.key} credentials={credentials} onEnd={end} onReplaced={begin}>
      {children}
    </SignedIn>
  );
}

interface SignedInProps {
  readonly credentials: Credentials;
  readonly onEnd: (isByRefusal: boolean) => void;
  /** Somebody has signed in to another workspace. */
  readonly onReplaced: (key: string, whoami: Whoami) => void;
  readonly children: ReactNode;
}

/** One for each sign-in: what was read with one key is never shown to another. */
function SignedIn({ credentials, onEnd, onReplaced, children }: SignedInProps) {
  const [client, setClient] = useState(() => newClient(credentials.key));
  const current = useRef(client);
  const guards = useRef(new Set<Ask>());
  const [isLapsed, setIsLapsed] = useState(false);
  const refuse = () => {
    // What was typed and not saved is kept for whoever comes back with another key.
    if (guards.current.size === 0) return onEnd(true);
    storedKey.remove();
    setIsLapsed(true);
  };
  const [queryClient] = useState(() => newQueryClient(current, refuse));
  const adopt = useCallback((key: string) => {
    storedKey.write(key);
    current.current = newClient(key);
    setClient(current.current);
  }, []);
  const guard = useCallback((ask: Ask) => {
    guards.current.add(ask);
    return () => guards.current.delete(ask);
  }, []);
  const signOut = useCallback(() => {
    const [ask] = guards.current;
    if (ask === undefined) onEnd(false);
    else ask(() => onEnd(false));
  }, [onEnd]);
  const goOn = (key: string, whoami: Whoami) => {
    adopt(key);
    queryClient.setQueryData(['whoami'], whoami);
    setIsLapsed(false);
  };
  return (
    <QueryClientProvider client={queryClient}>
      <Greeted client={client} greeting={credentials.whoami} adopt={adopt} signOut={signOut} guard={guard}>
        {children}
        {isLapsed && <SignInAgain onGoOn={goOn} onReplaced={onReplaced} onLeave={() => onEnd(false)} />}
      </Greeted>
    </QueryClientProvider>
  );
}

interface GreetedProps extends Omit<Session, 'whoami'> {
  readonly greeting: Whoami | null;
  readonly children: ReactNode;
}

function Greeted({ client, greeting, adopt, signOut, guard, children }: GreetedProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['whoami'],
    queryFn: async ({ signal }) => await client.whoami({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
    ...(greeting === null ? {} : { initialData: greeting }),
  });
  const session = useMemo(
    () => (data === undefined ? null : { client, whoami: data, adopt, signOut, guard }),
    [client, data, adopt, signOut, guard],
  );
  if (session !== null) return <Context value={session}>{children}</Context>;
  return error === null ? <PageSkeleton isWhole /> : <ErrorState error={error} onRetry={refetch} isWhole />;
}

/**
 * A key that is refused at any time ends the session, unless another one has taken its place since the request was sent.
 * The SDK has tried again already where that may help.
 */
function newQueryClient(current: { readonly current: VoiceAgents }, onRefused: () => void): QueryClient {
  const onError = (error: Error) => {
    if (!(error instanceof AuthenticationError)) return;
    current.current.whoami().catch((refusal) => {
      if (refusal instanceof AuthenticationError) onRefused();
    });
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: false, staleTime: 5000, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === null) throw new Error('There is no SessionProvider around this.');
  return session;
}

export function useClient(): VoiceAgents {
  return useSession().client;
}

/** Whether the key may do it, and what to tell where it may not. */
export function useScope(scope: Scope): { readonly isAllowed: boolean; readonly reason: string | null } {
  const { whoami } = useSession();
  const { texts } = useLanguage();
  const isAllowed = whoami.scopes.includes(scope);
  return { isAllowed, reason: isAllowed ? null : texts.lacksScope(scope) };
}
