import type { Agent } from '../../../contract/agents/agent.ts';
import type { PhoneNumber } from '../../../contract/phone/phone-number.ts';
import type { Database, Reads } from '../../../storage/database.ts';
import { rejectDocument } from '../../../voice/carriers/twilio/documents.ts';
import type { CarrierRow } from '../carriers/store.ts';
import type { Destinations } from '../destinations.ts';
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

const nothingGiven = { variables: {}, metadata: {}, externalId: null, warnings: [] } as const;

/** Calls to our numbers. The same request again is the same call, with the same document. */
export function createInbound(parts: InboundParts) {
  const { database, dials, numbers, calls, documents, newId, now } = parts;

  /** The first request claims the carrier's id, with the id of the new call. */
  const claim = ({ carrier: { carrier }, providerCallId }: AnnouncedCall): Promise<Dial> =>
    database.transaction(async (queries) => {
      const { workspaceId, id: carrierId } = carrier;
      const state = 'intended';
      await dials.insert(queries, {
        ...{ callId: newId('call'), leg: callLeg, workspaceId, carrierId, direction: 'inbound', state, providerCallId },
        ...{ mode: null, destination: null, createdAt: now(), plan: null },
      });
      const claimed = await dials.findByProviderCall(queries, carrierId, providerCallId);
      if (claimed === undefined) throw new Error('the id of a call could not be claimed');
      return claimed;
    });

  /** Undefined if another request has created the call meanwhile. */
  const create = (
    { carrier: { carrier } }: AnnouncedCall,
    { callId, workspaceId, providerCallId }: Dial,
    { takesFallback, ...decision }: Decision,
    number: PhoneNumber,
    from: string | null,
  ): Promise<void> =>
    database.transaction(async (queries) => {
      const key = { callId, leg: callLeg };
      if ((await dials.lock(queries, key))?.state !== 'intended') return;
      const result = await calls.createInbound(queries, {
        ...decision,
        ...{ workspaceId, callId, phoneNumberId: number.id, carrierId: carrier.id, provider: carrier.provider },
        ...{ providerCallId: providerCallId ?? '', from, to: number.number },
        maxConcurrent: carrier.limits.maxConcurrent,
        isRecorded: carrier.provider === 'test',
      });
      if (result.status === 'ringing') await dials.setState(queries, key, 'confirmed');
      else if (takesFallback) await dials.setState(queries, key, 'forwarded');
      else await dials.refuse(queries, key, now());
    });

  return async (announced: AnnouncedCall): Promise<string> => {
    const { carrier, base, to } = announced;
    const row = await numbers.findByCarrierAndTo(database, carrier.carrier.id, to);
    if (row === undefined) return rejectDocument();
    const { phoneNumber: number } = row;
    const claimed = await claim(announced);
    if (claimed.state === 'intended') {
      const from = callerNumber(announced.from);
      await create(announced, claimed, await decide(parts, claimed, number, from), number, from);
    }
    const dial = await dials.find(database, claimed);
    if (dial?.state === 'confirmed') return documents.join(dial, base);
    return dial?.state === 'forwarded' ? fallbackDocument(parts, carrier, number) : rejectDocument();
  };
}

async function decide(
  { ask, findAgent, database }: InboundParts,
  { callId, workspaceId }: Dial,
  number: PhoneNumber,
  from: string | null,
): Promise<Decision> {
  const refused = inboundRefusal(number, from);
  if (refused !== null) return refusedCall(refused, false);
  const { agentId, agentVersion, requestUrl } = number.inbound;
  if (agentId === null) return refusedCall('The number has no agent that answers.', true);
  const own: Decision = {
    ...nothingGiven,
    agent: { id: agentId, version: agentVersion },
    refusal: null,
    takesFallback: true,
  };
  if (requestUrl === null) return own;
  const question = { callId, phoneNumberId: number.id, from, to: number.number, sipHeaders: {} };
  const answer = await ask(requestUrl, { workspaceId, agentId }, question);
  if (typeof answer === 'string') return unasked(own, answer);
  if (answer.reject === true) return refusedCall('The request before answering rejected the call.', false);
  const agent = await agentOf(answer, own);
  if (agent === undefined) return unasked(own, 'it named an agent or a version that does not exist');
  const { variables = {}, metadata = {}, externalId = null } = answer;
  return { ...own, agent, variables, metadata, externalId };

  async function agentOf(answer: InboundAnswer, { agent }: Decision): Promise<InboundCall['agent'] | undefined> {
    if (answer.agentId === undefined && answer.agentVersion === undefined) return agent;
    const id = answer.agentId ?? agent?.id ?? '';
    const version = answer.agentVersion ?? (id === agent?.id ? agent.version : 'published');
    const found = await findAgent(database, workspaceId, id, version);
    return found && { id, version: found.agent.version };
  }
}

function refusedCall(detail: string, takesFallback: boolean): Decision {
  return { ...nothingGiven, agent: null, refusal: { reason: 'rejected', detail }, takesFallback };
}

/** The agent of the number answers. */
function unasked(own: Decision, why: string): Decision {
  const message = `The request before answering failed: ${why}. The agent of the number answers.`;
  return { ...own, warnings: [{ code: 'inbound_request_failed', message }] };
}
