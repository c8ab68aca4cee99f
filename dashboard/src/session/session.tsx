import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  queryOptions,
  useQuery,
} from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { AuthenticationError, type VoiceAgents, type Whoami } from '../../../sdk/src/index.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { PageSkeleton } from '../parts/page-skeleton.tsx';
import { Arrival } from './arrival.tsx';
import { SignIn, type SignInReason } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { storedKey } from './stored-key.ts';
import { joinOpenTabs, type OpenTabs } from './tabs.ts';
import { type Ask, newCallEnder, newClient, type Session, SessionContext } from './use-session.ts';

/** `whoami` is the response from when the key was entered; null after a reload. */
interface Credentials {
  readonly key: string;
  readonly whoami: Whoami | null;
}

/** Shows its children to signed-in users, and the sign-in page to everyone else, at any URL. */
export function SessionProvider({ signInCode, children }: { signInCode: string | null; children: ReactNode }) {
  const [credentials, setCredentials] = useState<Credentials | null>(() => {
    const key = signInCode === null ? storedKey.read() : null;
    return key === null ? null : { key, whoami: null };
  });
  const [reason, setReason] = useState<SignInReason>(null);
  const [isArriving, setIsArriving] = useState(credentials === null);
  const end = useCallback((isByRefusal: boolean) => {
    storedKey.remove();
    setReason(isByRefusal ? 'key-refused' : null);
    setCredentials(null);
  }, []);
  const begin = useCallback((key: string, whoami: Whoami | null) => {
    storedKey.write(key);
    setReason(null);
    setCredentials({ key, whoami });
  }, []);
  if (isArriving) {
    return (
      <Arrival
        signInCode={signInCode}
        onArrived={(key, why) => {
          if (key === null) setReason(why);
          else begin(key, null);
          setIsArriving(false);
        }}
      />
    );
  }
  if (credentials === null) return <SignIn onSignedIn={begin} reason={reason} />;
  return (
    <SignedIn key={credentials.key} credentials={credentials} onEnd={end} onReplaced={begin}>
      {children}
    </SignedIn>
  );
}

interface SignedInProps {
  readonly credentials: Credentials;
  readonly onEnd: (isByRefusal: boolean) => void;
  /** The user has signed in to another workspace. */
  readonly onReplaced: (key: string, whoami: Whoami) => void;
  readonly children: ReactNode;
}

/** One query cache per sign-in, so that data fetched with one key is never shown to another. */
function SignedIn({ credentials, onEnd, onReplaced, children }: SignedInProps) {
  const [client, setClient] = useState(() => newClient(credentials.key));
  const [endOnLeaving, setEndOnLeaving] = useState(() => newCallEnder(credentials.key));
  const current = useRef(client);
  const guards = useRef(new Set<Ask>());
  const [lapsedBy, setLapsedBy] = useState<'refusal' | 'sign-out' | null>(null);
  const lapse = (isByRefusal: boolean) => {
    // Unsaved input is kept until the user signs in again.
    if (guards.current.size === 0) return onEnd(isByRefusal);
    storedKey.remove();
    setLapsedBy(isByRefusal ? 'refusal' : 'sign-out');
  };
  const [queryClient] = useState(() => {
    const created = newQueryClient(current, () => lapse(true));
    // Not only once the first render is shown, which takes longer than the response.
    if (credentials.whoami === null) created.prefetchQuery(whoamiQuery(client));
    return created;
  });
  const tabs = useOpenTabs({
    currentKey: storedKey.read,
    onSignedOut: () => lapse(false),
    onReplaced: (key) => {
      take(key);
      queryClient.invalidateQueries({ queryKey: ['whoami'] });
    },
  });
  const take = useCallback((key: string) => {
    storedKey.write(key);
    current.current = newClient(key);
    setClient(current.current);
    // A function would be called for the next state.
    setEndOnLeaving(() => newCallEnder(key));
  }, []);
  const adopt = useCallback(
    (key: string) => {
      const old = storedKey.read();
      take(key);
      if (old !== null) tabs.current?.replace(old, key);
    },
    [take, tabs],
  );
  const guard = useCallback((ask: Ask) => {
    guards.current.add(ask);
    return () => guards.current.delete(ask);
  }, []);
  const signOut = useCallback(() => {
    const leave = () => {
      tabs.current?.signOut();
      onEnd(false);
    };
    const [ask] = guards.current;
    if (ask === undefined) leave();
    else ask(leave);
  }, [onEnd, tabs]);
  const goOn = (key: string, whoami: Whoami) => {
    take(key);
    queryClient.setQueryData(['whoami'], whoami);
    setLapsedBy(null);
  };
  return (
    <QueryClientProvider client={queryClient}>
      <Greeted
        client={client}
        endOnLeaving={endOnLeaving}
        greeting={credentials.whoami}
        adopt={adopt}
        signOut={signOut}
        guard={guard}
      >
        {children}
        {lapsedBy !== null && (
          <SignInAgain by={lapsedBy} onGoOn={goOn} onReplaced={onReplaced} onLeave={() => onEnd(false)} />
        )}
      </Greeted>
    </QueryClientProvider>
  );
}

/** Connects this tab with the others while it is signed in. */
function useOpenTabs(listener: Parameters<typeof joinOpenTabs>[0]) {
  const latest = useRef(listener);
  latest.current = listener;
  const tabs = useRef<OpenTabs>(null);
  useEffect(() => {
    const joined = joinOpenTabs({
      currentKey: () => latest.current.currentKey(),
      onSignedOut: () => latest.current.onSignedOut(),
      onReplaced: (key) => latest.current.onReplaced(key),
    });
    tabs.current = joined;
    return () => joined.close();
  }, []);
  return tabs;
}

function whoamiQuery(client: VoiceAgents) {
  return queryOptions({
    queryKey: ['whoami'],
    queryFn: async ({ signal }) => await client.whoami({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface GreetedProps extends Omit<Session, 'whoami'> {
  readonly greeting: Whoami | null;
  readonly children: ReactNode;
}

function Greeted({ client, endOnLeaving, greeting, adopt, signOut, guard, children }: GreetedProps) {
  const { data, error, refetch } = useQuery({
    ...whoamiQuery(client),
    ...(greeting === null ? {} : { initialData: greeting }),
  });
  const session = useMemo(
    () => (data === undefined ? null : { client, whoami: data, endOnLeaving, adopt, signOut, guard }),
    [client, endOnLeaving, data, adopt, signOut, guard],
  );
  if (session !== null) return <SessionContext value={session}>{children}</SessionContext>;
  return error === null ? <PageSkeleton isWhole /> : <ErrorState error={error} onRetry={refetch} isWhole />;
}

/**
 * Ends the session when the key is rejected, unless it has been replaced since the request was sent. The SDK has already
 * retried where that can help.
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
