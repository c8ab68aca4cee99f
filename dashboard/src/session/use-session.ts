import { createContext, useContext } from 'react';
import { VoiceAgents, type Whoami } from '../../../sdk/src/index.ts';
import type { Scope } from '../../../src/contract/scopes.ts';
import { useLanguage } from '../language/language.tsx';

export { allScopes, type Scope } from '../../../src/contract/scopes.ts';

export interface Session {
  readonly client: VoiceAgents;
  readonly whoami: Whoami;
  /** Ends a call while the page is being left: the browser sends it although nothing waits for the response. */
  endOnLeaving(callId: string): void;
  /** Continues with the key that replaces the current one, with the same workspace and scopes. */
  adopt(key: string): void;
  /** Signs out immediately, or after the guard of unsaved changes has agreed. */
  signOut(): void;
  /**
   * Registers a guard while there are unsaved changes: `ask` is called before signing out, and calls `go` if the user
   * agrees. Returns a function that removes the guard.
   */
  guard(ask: Ask): () => void;
}

export type Ask = (go: () => void) => void;

export const SessionContext = createContext<Session | null>(null);

/** A field that the service does not know would be lost: it is an error instead. */
const headers = { prefer: 'handling=strict' };

export function newClient(apiKey: string): VoiceAgents {
  return new VoiceAgents({ apiKey, baseUrl: location.origin, timeout: 30_000, headers });
}

export function newCallEnder(apiKey: string): Session['endOnLeaving'] {
  const client = new VoiceAgents({
    apiKey,
    baseUrl: location.origin,
    maxRetries: 0,
    headers,
    fetch: (input, init) => fetch(input, { ...init, keepalive: true }),
  });
  return (callId) => {
    client.calls.end(callId).catch(() => {
      // The silence timeout ends it as well, only later.
    });
  };
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('There is no SessionProvider around this.');
  return session;
}

export function useClient(): VoiceAgents {
  return useSession().client;
}

/** Whether the key has a scope, and the explanation if it does not. */
export function useScope(scope: Scope): { readonly isAllowed: boolean; readonly reason: string | null } {
  const { whoami } = useSession();
  const { texts } = useLanguage();
  const isAllowed = whoami.scopes.includes(scope);
  return { isAllowed, reason: isAllowed ? null : texts.lacksScope(scope) };
}
