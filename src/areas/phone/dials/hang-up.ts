import type { JobContext, JobKind } from '../../../jobs/kind.ts';
import type { Database } from '../../../storage/database.ts';
import type { CarrierClient } from '../../../voice/carriers/carrier.ts';
import type { CarrierStore } from '../carriers/store.ts';
import type { FindCall } from './find-call.ts';
import { type HangUpJob, type LegJobs, legJobs } from './jobs.ts';
import { type LegReport, reportOf } from './reports.ts';
import { type Dial, type DialStore, maxLookUpMs, overRank } from './store.ts';

export interface HangUpParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly carriers: CarrierStore;
  readonly jobs: LegJobs;
  readonly findCall: FindCall;
  readonly apply: (dial: Dial, report: LegReport) => Promise<boolean>;
  readonly now: () => number;
}

const againMs = 2000;
const nextLookUpMs = 10_000;

/** Hangs up a leg, until the carrier says that it is over. */
export function createHangUpJob(parts: HangUpParts): JobKind<HangUpJob> {
  const { database, dials, carriers, apply } = parts;
  return {
    ...legJobs.hangUp,
    run: async ({ payload }, context) => {
      const dial = await dials.find(database, payload);
      if (dial !== undefined && dial.rank >= overRank) return;
      const carrier = await carriers.read(database, payload.workspaceId, payload.carrierId);
      if (carrier === undefined) return;
      const client = await carriers.client(carrier);
      const known = dial?.providerCallId ?? payload.providerCallId;
      const id = known ?? (await lookUp(parts, client, { payload, dial, context }));
      if (id === null) return;
      if ((await client.hangUp(id)) === 'requested') return repeat(parts, context, payload, againMs);
      const call = dial === undefined ? null : await client.getCall(id);
      if (dial !== undefined && call !== null) await apply({ ...dial, providerCallId: id }, reportOf(call));
    },
  };
}

/** The id of a call that the carrier did not confirm; null if it is not there. */
async function lookUp(
  parts: HangUpParts,
  client: CarrierClient,
  job: { readonly payload: HangUpJob; readonly dial: Dial | undefined; readonly context: JobContext },
): Promise<string | null> {
  const { database, dials, findCall, now } = parts;
  const { payload, dial, context } = job;
  const { from, to, sentAt } = payload;
  if (dial === undefined || from === null || to === null || sentAt === null) return null;
  const found = await findCall(client, dial, { from, to, sentAt });
  if (found === undefined) {
    if (now() < sentAt + maxLookUpMs) await repeat(parts, context, payload, nextLookUpMs);
    return null;
  }
  await database.transaction((queries) => dials.confirm(queries, dial, found.providerCallId));
  return found.providerCallId;
}

async function repeat(
  { database, jobs }: HangUpParts,
  context: JobContext,
  payload: HangUpJob,
  delayMs: number,
): Promise<void> {
  await database.transaction(async (queries) => {
    if (await context.complete(queries)) await jobs.repeatHangUp(queries, payload, delayMs);
  });
}
