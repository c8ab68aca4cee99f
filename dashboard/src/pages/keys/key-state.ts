import type { ApiKey } from '../../../../sdk/src/index.ts';

export type KeyState = 'active' | 'ending' | 'expired' | 'revoked';

export function stateOf({ revokedAt, expiresAt }: ApiKey, now = Date.now()): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  return Date.parse(expiresAt) > now ? 'ending' : 'expired';
}

export function hasEnded(key: ApiKey): boolean {
  const state = stateOf(key);
  return state === 'revoked' || state === 'expired';
}
