import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../../core/sealer.ts';

/** Permission to connect the media of a call once. */
export interface MediaToken {
  readonly workspaceId: string;
  readonly callId: string;
  /** The carrier's id of the call. */
  readonly providerCallId: string;
  /** The owner epoch of the call when the token was issued: it changes when the media is connected. */
  readonly epoch: number;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

export type MediaTokens = ReturnType<typeof createMediaTokens>;

const keyLabel = 'carrier media';

/** The payload, a dot, and an HMAC over it. Signs with the newest key, and accepts signatures by each. */
export function createMediaTokens(sealer: Sealer) {
  const keys = sealer.deriveEach(keyLabel);
  const tagOf = (key: Buffer, payload: string): Buffer =>
    Buffer.from(createHmac('sha256', key).update(payload).digest('base64url'));

  return {
    issue: ({ workspaceId, callId, providerCallId, epoch, expiresAt }: MediaToken): string => {
      const fields = [workspaceId, callId, providerCallId, epoch, expiresAt];
      const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
      return `${payload}.${tagOf(keys[0] as Buffer, payload)}`;
    },

    /** Undefined if this service has not issued it. */
    read: (text: string): MediaToken | undefined => {
      const [payload = '', tag = '', ...rest] = text.split('.');
      // Compared as text: the last character of base64url has bits that decoding ignores.
      const given = Buffer.from(tag);
      const isSigned = keys.some((key) => {
        const expected = tagOf(key, payload);
        return expected.length === given.length && timingSafeEqual(expected, given);
      });
      if (!isSigned || rest.length > 0) return undefined;
      const [workspaceId, callId, providerCallId, epoch, expiresAt] = JSON.parse(
        Buffer.from(payload, 'base64url').toString(),
      );
      return { workspaceId, callId, providerCallId, epoch, expiresAt };
    },
  };
}
