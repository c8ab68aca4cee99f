import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Calls } from '../../../../src/areas/calls/area.ts';
import type { InboundCall } from '../../../../src/areas/calls/lifecycle/inbound.ts';
import type {
  OutboundRequest,
  PhoneLine,
  PhoneLines,
  TransferRequest,
} from '../../../../src/areas/calls/lifecycle/phone-lines.ts';
import type { Call } from '../../../../src/contract/calls/call.ts';
import { unprocessable } from '../../../../src/core/errors.ts';
import { createIdGenerator } from '../../../../src/core/ids.ts';
import type { Engine } from '../../../support/engines.ts';
import { type Service, startService } from '../../../support/service.ts';
import { create, on, testAgent } from '../support.ts';
import { ScriptedLine } from './scripted-line.ts';

export const ourNumber = '+81312345678';
export const theirNumber = '+819012345678';
export const phoneNumberId = 'num_01m2k7qv3h0000x4t9w8c5n1r6ybdz';
export const carrierId = 'car_01m2k7qv3h0000x4t9w8c5n1r6ybdz';

/** One number of one carrier. What is dialed is written down. */
export class TestLines implements PhoneLines {
  readonly dialed: { readonly callId: string; readonly line: PhoneLine; readonly status: Call['status'] }[] = [];
  readonly requests: OutboundRequest[] = [];
  max: number | null = null;
  refusal: Error | null = null;

  async outbound(_queries: unknown, _workspaceId: string, request: OutboundRequest): Promise<PhoneLine> {
    this.requests.push(request);
    if (this.refusal !== null) throw this.refusal;
    const { to, ringTimeoutMs = 30_000 } = request;
    return { phoneNumberId: request.phoneNumberId, carrierId, provider: 'test', from: ourNumber, to, ringTimeoutMs };
  }

  async maxConcurrent(): Promise<number | null> {
    return this.max;
  }

  async dial(_queries: unknown, { id, status }: Call, line: PhoneLine): Promise<void> {
    this.dialed.push({ callId: id, line, status });
  }

  readonly reconnected: string[] = [];

  async reconnect(_queries: unknown, { id }: Call): Promise<void> {
    this.reconnected.push(id);
  }

  readonly transfers: TransferRequest[] = [];
  readonly doNotCallList: string[] = [];
  /** A number that may not be dialed. */
  forbidden: string | null = null;

  async checkTransfer(_queries: unknown, _call: Call, _line: PhoneLine, to: string): Promise<void> {
    if (to === this.forbidden) throw unprocessable({ to: ['is not in a country that may be called'] });
  }

  async transfer(_call: Call, _line: PhoneLine, request: TransferRequest): Promise<void> {
    this.transfers.push(request);
  }

  async doNotCall(_queries: unknown, _call: Call, number: string): Promise<void> {
    this.doNotCallList.push(number);
  }
}

export interface PhoneService extends Service {
  readonly lines: TestLines;
  readonly phone: Calls['phone'];
}

export async function startPhoneService(
  engine: Engine,
  options: Parameters<typeof startService>[1] = {},
): Promise<PhoneService> {
  const lines = new TestLines();
  let phone: Calls['phone'] | null = null;
  const service = await startService(engine, {
    ...options,
    calls: { ...options.calls, phone: lines },
    otherAreas: (_kernel, given) => {
      phone = given;
      return [];
    },
  });
  assert.ok(phone !== null);
  return Object.assign(service, { lines, phone: phone as Calls['phone'] });
}

export function usePhoneService(engine: Engine, options: Parameters<typeof startService>[1] = {}): PhoneService {
  const service = {} as PhoneService;
  before(async () => {
    Object.assign(service, await startPhoneService(engine, options));
  });
  after(() => service.close());
  return service;
}

/** An agent that speaks and hears on a phone. */
export function phoneAgent(service: Pick<Service, 'url'>, key: string, model = 'test-echo', fields: object = {}) {
  return testAgent(service, key, model, { sttProvider: 'test', ttsProvider: 'test', voiceId: 'test', ...fields });
}

export function dial(service: Pick<Service, 'url'>, key: string, agentId: string, body: object = {}) {
  return create(service, key, {
    type: 'phone',
    agentId,
    fromPhoneNumberId: phoneNumberId,
    to: theirNumber,
    ...body,
  });
}

export interface PhoneCallOptions {
  readonly model?: string;
  readonly agent?: object;
  readonly call?: object;
}

/** A call that the service dials, not answered yet. */
export async function dialed(
  service: PhoneService,
  key: string,
  { model, agent = {}, call = {} }: PhoneCallOptions = {},
) {
  const { id: agentId } = await phoneAgent(service, key, model, agent);
  const answer = await dial(service, key, agentId, call);
  assert.equal(answer.status, 201, answer.text);
  return { ...on(service, key, answer.json.id), workspaceId: answer.json.workspaceId as string };
}

/** The media of a call starts. */
export async function connected(
  service: PhoneService,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
  prepare: (line: ScriptedLine) => void = () => {},
): Promise<ScriptedLine> {
  const found = await service.phone.find(workspaceId, id);
  assert.ok(found !== undefined, 'the call is there');
  const line = new ScriptedLine(service.clock, 'CA1').start();
  prepare(line);
  const closed = await service.phone.connect({ workspaceId, callId: id, epoch: found.epoch }, line);
  return line.onClosed(closed);
}

/** A call that was answered. */
export async function answered(service: PhoneService, key: string, options: PhoneCallOptions = {}) {
  const call = await dialed(service, key, options);
  const line = await connected(service, call);
  return { ...call, line };
}

const newId = createIdGenerator();

export function inboundCall(
  workspaceId: string,
  agentId: string | null,
  changes: Partial<InboundCall> = {},
): InboundCall {
  return {
    workspaceId,
    callId: newId('call'),
    phoneNumberId,
    carrierId,
    provider: 'test',
    providerCallId: 'CA1',
    from: theirNumber,
    to: ourNumber,
    agent: agentId === null ? null : { id: agentId, version: 1 },
    variables: {},
    metadata: {},
    externalId: null,
    refusal: null,
    warnings: [],
    maxConcurrent: null,
    ...changes,
  };
}

/** The carrier offers a call. */
export function offer(service: PhoneService, inbound: InboundCall) {
  return service.database.transaction((queries) => service.phone.createInbound(queries, inbound));
}

/** Runs a report of the carrier in a transaction. */
export function report<Result>(
  service: PhoneService,
  run: (queries: Parameters<Parameters<Service['database']['transaction']>[0]>[0]) => Promise<Result>,
): Promise<Result> {
  return service.database.transaction(run);
}
