import type { Database } from '../../../storage/database.ts';
import { hangUpDocument, mediaDocument, pauseThenRedirect } from '../../../voice/carriers/twilio/documents.ts';
import { upgradeUrl } from '../../../voice/carriers/twilio/signature.ts';
import { callAddresses, mediaAddress } from '../addresses.ts';
import type { Dial, DialStore } from '../dials/store.ts';
import type { PhoneCalls } from '../phone-calls.ts';
import type { MediaTokens } from './token.ts';

export interface JoinParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly calls: PhoneCalls;
  readonly tokens: MediaTokens;
  readonly now: () => number;
}

const tokenMs = 60_000;
const pauseSeconds = 1;
const openStatuses: ReadonlySet<string> = new Set(['registered', 'ringing', 'ongoing']);

export type JoinDocuments = ReturnType<typeof createJoinDocuments>;

/** What the carrier does next with a call: its media is connected, it waits, or it is over. */
export function createJoinDocuments({ database, dials, calls, tokens, now }: JoinParts) {
  return {
    hangUp: hangUpDocument,

    /** `isAgain`: its media was connected before. */
    join: async (dial: Dial, base: string, { isAgain }: { readonly isAgain: boolean }): Promise<string> => {
      const { workspaceId, callId, carrierId, providerCallId } = dial;
      const found = await calls.find(workspaceId, callId);
      // A process was lost, and with it what its call may not store.
      if (found === undefined || found.isLost || !openStatuses.has(found.call.status)) return hangUpDocument();
      if (providerCallId === null) return hangUpDocument();
      if (isAgain) await database.transaction((queries) => dials.noteAsked(queries, dial, now()));
      const { rejoin, status } = callAddresses(base, carrierId, callId);
      if (found.isOwnedElsewhere) return pauseThenRedirect(rejoin, pauseSeconds);
      const token = tokens.issue({
        workspaceId,
        callId,
        providerCallId,
        epoch: found.epoch,
        expiresAt: now() + tokenMs,
      });
      const streamUrl = upgradeUrl(mediaAddress(base, carrierId, token));
      const parameters: Record<string, string> = dial.plan?.hasTestSpeech === true ? { testSpeech: 'true' } : {};
      return mediaDocument({ streamUrl, streamStatusUrl: status, rejoinUrl: rejoin, parameters });
    },
  };
}
