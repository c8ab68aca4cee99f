import { createContext, useContext } from 'react';
import { VoiceAgents, type Whoami } from '../../../sdk/src/index.ts';
import { useLanguage } from '../language/language.tsx';

export type Scope = 'agents:read' | 'agents:write' | 'keys:read' | 'keys:write' | 'audit:read';

export const allScopes: readonly Scope[] = ['agents:read', 'agents:write', 'keys:read', 'keys:write', 'audit:read'];

export interface Session {
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

export type Ask = (go: () => void) => void;

export const SessionContext = createContext<Session | null>(null);

export function newClient(apiKey: string): VoiceAgents {
  return new VoiceAgents({ apiKey, baseUrl: location.origin, timeout: 30_000 });
}

export function useSession(): Session {
  const session = useContext(SessionContext);
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
