import type { IncomingHttpHeaders } from 'node:http';
import { type AccessToken, type AccessTokens, accessTokenPrefix } from '../../core/access-token.ts';
import { unauthorized } from '../../core/errors.ts';
import type { Caller } from './caller.ts';
import type { RateLimiter } from './rate-limit.ts';

export interface CallAccessParts {
  readonly tokens: AccessTokens;
  /** Whether an API key exists and is neither revoked nor expired. */
  readonly isKeyValid: (workspaceId: string, keyId: string) => Promise<boolean>;
  /** Extracts the credential; throws if two headers contradict each other. */
  readonly secretIn: (headers: IncomingHttpHeaders) => string;
  /** By the id of the token. */
  readonly rateLimiter: RateLimiter;
}

/** What a request with an access token presents. */
export interface Presented {
  /** Undefined if the service has not issued it. */
  readonly token: AccessToken | undefined;
  /** Whether a page of this origin may use it. */
  readonly isFromAllowedOrigin: boolean;
}

export type CallAccessControl = ReturnType<typeof createCallAccess>;

const noScopes: ReadonlySet<string> = new Set();

/** The authentication of requests by access tokens, for operations that accept them. */
export function createCallAccess({ tokens, isKeyValid, secretIn, rateLimiter }: CallAccessParts) {
  const tokenIn = (headers: IncomingHttpHeaders): AccessToken | undefined => {
    try {
      return tokens.read(secretIn(headers));
    } catch {
      // Two different credentials.
      return undefined;
    }
  };

  return {
    /** Null if the request has no access token. */
    presentedIn: (headers: IncomingHttpHeaders): Presented | null => {
      if (!hasAccessToken(headers)) return null;
      const token = tokenIn(headers);
      const { origin } = headers;
      const origins = token?.origins ?? [];
      return { token, isFromAllowedOrigin: origins.length === 0 || (origin !== undefined && origins.includes(origin)) };
    },
    authenticate: async ({ token, isFromAllowedOrigin }: Presented): Promise<Caller> => {
      if (token === undefined || !isFromAllowedOrigin) throw unauthorized('a token');
      const { workspaceId, keyId, callId, tokenId, number, expiresAt, origins } = token;
      if (!(await isKeyValid(workspaceId, keyId))) throw unauthorized('a token');
      return { workspaceId, keyId, scopes: noScopes, access: { callId, tokenId, number, expiresAt, origins } };
    },
    admit: (tokenId: string) => rateLimiter.admit(tokenId),
  };
}

const bearerToken = new RegExp(`^bearer +${accessTokenPrefix}`, 'i');

function hasAccessToken({ authorization, 'x-api-key': own }: IncomingHttpHeaders): boolean {
  return (
    (authorization !== undefined && bearerToken.test(authorization)) ||
    (typeof own === 'string' && own.startsWith(accessTokenPrefix))
  );
}
