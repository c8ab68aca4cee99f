import type { Agent } from '../../../contract/agents/agent.ts';
import type { PhoneNumber } from '../../../contract/phone/phone-number.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import { rejectDocument } from '../../../voice/carriers/twilio/documents.ts';
import type { CarrierRow } from '../carriers/store.ts';
import type { Destinations } from '../destinations.ts';
import type { LegJobs } from '../dials/jobs.ts';
import { callLeg, type Dial, type DialStore } from '../dials/store.ts';
import type { JoinDocuments } from '../media/join-documents.ts';
import type { NumberStore } from '../numbers/store.ts';
import type { InboundCall, PhoneCalls } from '../phone-calls.ts';
import { callerNumber, inboundRefusal } from './caller.ts';
import { fallbackDocument } from './fallback.ts';
import type { AskBeforeAnswering, InboundAnswer } from './request.ts';

export type FindAgentVersion = (
  queries: Reads,
  workspaceId: string,
  id: string,
  version: number | 'published' | 'latest',
) => Promise<{ readonly agent: Agent } | undefined>;

export interface InboundParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly jobs: LegJobs;
  readonly numbers: NumberStore;
  readonly calls: PhoneCalls;
  readonly documents: JoinDocuments;
  readonly destinations: Destinations;
  readonly ask: AskBeforeAnswering;
  readonly findAgent: FindAgentVersion;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
}

/** A call as the carrier announces it. */
export interface AnnouncedCall {
  readonly carrier: CarrierRow;
  /** The public address of this service. */
  readonly base: string;
  readonly providerCallId: string;
  /** As the carrier writes it; null if it is withheld. */
  readonly from: string | null;
  readonly to: string;
}

/** What a new call is made of, and whether the fallback of the number gets it if it is refused. */
interface Decision
  extends Pick<InboundCall, 'agent' | 'variables' | 'metadata' | 'externalId' | 'refusal' | 'warnings'> {
  readonly takesFallback: boolean;
}

/** A call whose media has not started by then is over. The carrier accepts a limit once a call is answered. */
const limitAfterMs = 20_000;
const nothingGiven = { variables: {}, metadata: {}, externalId: null, warnings: [] } as const;

/** Calls to our numbers. The same request again is the same call, with the same document. */
export function createInbound(parts: InboundParts) {
  const { database, dials, jobs, numbers, calls, documents, newId, now } = parts;

  /** The first request claims the carrier's id, with the id of the new call. */
  const claim = async (queries: Queries, { carrier: { carrier }, providerCallId }: AnnouncedCall): Promise<Dial> => {
    const { workspaceId, id: carrierId } = carrier;
    const state = 'intended';
    await dials.insert(queries, {
      ...{ callId: newId('call'), leg: callLeg, workspaceId, carrierId, direction: 'inbound', state, providerCallId },
      ...{ mode: null, destination: null, createdAt: now(), plan: null },
    });
    const claimed = await dials.findByProviderCall(queries, carrierId, providerCallId);
    if (claimed === undefined) throw new Error('the id of a call could not be claimed');
    return claimed;
  };

  /** Unless another request has created the call meanwhile. Resolves to the leg as it is then. */
  const create = async (
    queries: Queries,
    { carrier: { carrier }, providerCallId }: AnnouncedCall,
    claimed: Dial,
    { number, from, decision }: { number: PhoneNumber; from: string | null; decision: Decision },
  ): Promise<Dial> => {
    const locked = await dials.lock(queries, claimed);
    if (locked?.state !== 'intended') return locked ?? claimed;
    const { callId, workspaceId } = claimed;
    const { takesFallback, ...given } = decision;
    const result = await calls.createInbound(queries, {
      ...given,
      ...{ workspaceId, callId, phoneNumberId: number.id, carrierId: carrier.id, provider: carrier.provider },
      ...{ providerCallId, from, to: number.number, maxConcurrent: carrier.limits.maxConcurrent },
      isRecorded: carrier.provider === 'test',
    });
    if (result.status === 'ringing') {
      await dials.setState(queries, claimed, 'confirmed');
      await jobs.limit(queries, claimed, limitAfterMs);
    } else if (takesFallback) await dials.setState(queries, claimed, 'forwarded');
    else await dials.refuse(queries, claimed, now());
    return (await dials.find(queries, claimed)) ?? claimed;
  };

  return async (announced: AnnouncedCall): Promise<string> => {
    const { carrier, base, to } = announced;
    const row = await numbers.findByCarrierAndTo(database, carrier.carrier.id, to);
    if (row === undefined) return rejectDocument();
    const { phoneNumber: number } = row;
    const from = callerNumber(announced.from);
    const { decision, question } = decide(number, from);
    let dial = await database.transaction(async (queries) => {
      const claimed = await claim(queries, announced);
      return question === null ? create(queries, announced, claimed, { number, from, decision }) : claimed;
    });
    if (dial.state === 'intended' && question !== null) {
      const { callId, workspaceId } = dial;
      const asked = { callId, phoneNumberId: number.id, from, to: number.number, sipHeaders: {} };
      const answer = await parts.ask(question.url, { workspaceId, agentId: question.agentId }, asked);
      const answered = await withAnswer(parts, workspaceId, decision, answer);
      dial = await database.transaction((queries) =>
        create(queries, announced, dial, { number, from, decision: answered }),
      );
    }
    if (dial.state === 'confirmed') return documents.join(dial, base, { isAgain: false });
    return dial.state === 'forwarded' ? fallbackDocument(parts, { carrier, base }, dial, number) : rejectDocument();
  };
}

/** What happens to a call, unless the request before answering says otherwise. */
function decide(
  number: PhoneNumber,
  from: string | null,
): { readonly decision: Decision; readonly question: { readonly url: string; readonly agentId: string } | null } {
  const refused = inboundRefusal(number, from);
  if (refused !== null) return { decision: refusedCall(refused, false), question: null };
  const { agentId, agentVersion, requestUrl } = number.inbound;
  if (agentId === null) {
    return { decision: refusedCall('The number has no agent that answers.', true), question: null };
  }
  const agent = { id: agentId, version: agentVersion };
  const decision = { ...nothingGiven, agent, refusal: null, takesFallback: true };
  return { decision, question: requestUrl === null ? null : { url: requestUrl, agentId } };
}

async function withAnswer(
  { findAgent, database }: InboundParts,
  workspaceId: string,
  own: Decision,
  answer: InboundAnswer | string,
): Promise<Decision> {
  if (typeof answer === 'string') return unasked(own, answer);
  if (answer.reject === true) return refusedCall('The request before answering rejected the call.', false);
  const { variables = {}, metadata = {}, externalId = null } = answer;
  const given = { ...own, variables, metadata, externalId };
  if (answer.agentId === undefined && answer.agentVersion === undefined) return given;
  const id = answer.agentId ?? own.agent?.id ?? '';
  const version = answer.agentVersion ?? (id === own.agent?.id ? own.agent.version : 'published');
  const found = await findAgent(database, workspaceId, id, version);
  if (found === undefined) return unasked(own, 'it named an agent or a version that does not exist');
  return { ...given, agent: { id, version: found.agent.version } };
}

function refusedCall(detail: string, takesFallback: boolean): Decision {
  return { ...nothingGiven, agent: null, refusal: { reason: 'rejected', detail }, takesFallback };
}

/** The agent of the number answers. */
function unasked(own: Decision, why: string): Decision {
  const message = `The request before answering failed: ${why}. The agent of the number answers.`;
  return { ...own, warnings: [{ code: 'inbound_request_failed', message }] };
}
