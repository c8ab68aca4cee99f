import { createHmac, timingSafeEqual } from 'node:crypto';
import { checksum, checksumCharacters } from './checksum.ts';

export const accessTokenPrefix = 'vat_';

/** The content of an access token: permission to take part in one call, for clients that must not have an API key. */
export interface AccessToken {
  readonly callId: string;
  readonly workspaceId: string;
  /** The API key that created it. */
  readonly keyId: string;
  readonly tokenId: string;
  /** Counts the tokens of the call, from 1. */
  readonly number: number;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The origins of the pages that may use it. Empty: any client may. */
  readonly origins: readonly string[];
}

export interface AccessTokens {
  issue(token: AccessToken): string;
  /**
   * Undefined if the service has not issued this text. Whether the token has expired is left to the caller: one that has
   * joined its call stays valid for as long as the call lasts.
   */
  read(text: string): AccessToken | undefined;
}

/** Base64url of 32 bytes. */
const tagCharacters = 43;

/**
 * `vat_`, the payload, a dot, an HMAC over the payload, and a checksum. Signs with the first key, and accepts signatures
 * by each. Nothing is stored.
 */
export function createAccessTokens(keys: readonly Buffer[]): AccessTokens {
  const tagOf = (key: Buffer, payload: string): string => createHmac('sha256', key).update(payload).digest('base64url');

  return {
    issue: ({ callId, workspaceId, keyId, tokenId, number, expiresAt, origins }) => {
      const fields = [callId, workspaceId, keyId, tokenId, number, expiresAt, origins];
      const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
      const signed = `${payload}.${tagOf(keys[0] as Buffer, payload)}`;
      return `${accessTokenPrefix}${signed}${checksum(signed)}`;
    },
    read: (text) => {
      if (!text.startsWith(accessTokenPrefix)) return undefined;
      const end = text.length - checksumCharacters;
      const signed = text.slice(accessTokenPrefix.length, end);
      if (checksum(signed) !== text.slice(end)) return undefined;
      const payload = signed.slice(0, -tagCharacters - 1);
      // Compared as text: the last character of base64url has bits that decoding ignores.
      const given = Buffer.from(signed.slice(payload.length));
      const isSigned = keys.some((key) => isSame(given, Buffer.from(`.${tagOf(key, payload)}`)));
      if (!isSigned) return undefined;
      const [callId, workspaceId, keyId, tokenId, number, expiresAt, origins] = JSON.parse(
        Buffer.from(payload, 'base64url').toString(),
      );
      return { callId, workspaceId, keyId, tokenId, number, expiresAt, origins };
    },
  };
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
