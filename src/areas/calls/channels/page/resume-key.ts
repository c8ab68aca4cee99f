import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CallAccess } from '../../../../http/admission/caller.ts';

/** Permission to continue a connection that was lost: that of the token which opened it, until there is another. */
export interface ResumeKey {
  readonly workspaceId: string;
  /** The API key that created the token. */
  readonly keyId: string;
  readonly access: CallAccess;
  /** Counts the connections of a web call. A chat has no such number, and any of its keys is valid. */
  readonly epoch: number;
}

export interface ResumeKeys {
  issue(key: ResumeKey): string;
  /** Undefined if the service has not issued this text. */
  read(text: string): ResumeKey | undefined;
}

const tagBytes = 32;

/**
 * Letters, digits, `-` and `_`, as subprotocols must have: a payload and an HMAC over it, in base64url. Signed and not
 * stored, like access tokens; the number of the newest connection is in the row of the call.
 */
export function createResumeKeys(keys: readonly Buffer[]): ResumeKeys {
  const tagOf = (key: Buffer, payload: Buffer): Buffer => createHmac('sha256', key).update(payload).digest();
  return {
    issue: ({ workspaceId, keyId, access, epoch }) => {
      const { callId, tokenId, number, expiresAt, origins } = access;
      const fields = [workspaceId, keyId, callId, tokenId, number, expiresAt, origins, epoch];
      const payload = Buffer.from(JSON.stringify(fields));
      return Buffer.concat([tagOf(keys[0] as Buffer, payload), payload]).toString('base64url');
    },
    read: (text) => {
      const bytes = Buffer.from(text, 'base64url');
      const tag = bytes.subarray(0, tagBytes);
      const payload = bytes.subarray(tagBytes);
      const isSigned = tag.length === tagBytes && keys.some((key) => timingSafeEqual(tag, tagOf(key, payload)));
      if (!isSigned) return undefined;
      const [workspaceId, keyId, callId, tokenId, number, expiresAt, origins, epoch] = JSON.parse(payload.toString());
      return { workspaceId, keyId, access: { callId, tokenId, number, expiresAt, origins }, epoch };
    },
  };
}
