import type { OnCallSettled } from '../../../../src/areas/area.ts';
import type {
  CallMedia,
  InboundCall,
  InboundResult,
  PhoneCalls,
  PhoneEnding,
  PhoneMessage,
} from '../../../../src/areas/phone/phone-calls.ts';
import type { Call } from '../../../../src/contract/calls/call.ts';
import { endReasonsOf } from '../../../../src/contract/calls/end-reasons.ts';
import type { Queries } from '../../../../src/storage/database.ts';

export type KnownCall = Pick<
  Call,
  'id' | 'workspaceId' | 'direction' | 'status' | 'endReason' | 'endedBy' | 'endDetail' | 'providerCallId'
> & { billedMs: number; agentId: string | null; warnings: string[]; variables: object };

/** The other side of `PhoneCalls`: calls with nothing but their states, as the rules of section 4 say. */
export class TestCalls implements PhoneCalls {
  readonly calls = new Map<string, KnownCall & { type: 'phone'; usage: { carrier: { billedMs: number } } }>();
  readonly told: PhoneMessage[] = [];
  readonly connected: CallMedia[] = [];
  onSettled: OnCallSettled = async () => {};
  /** How inbound calls are received; null: they ring. */
  inboundRefusal: InboundCall['refusal'] = null;
  isOwnedElsewhere = false;
  isLost = false;
  epoch = 1;
  /** Whether the process that owns a call ends it when it is told. */
  isOwnerResponsive = false;

  add(
    id: string,
    workspaceId: string,
    direction: Call['direction'] = 'outbound',
    status: Call['status'] = 'registered',
  ) {
    const call = {
      ...{ id, workspaceId, direction, status, type: 'phone' as const, agentId: 'agt_1', agentVersion: 1 },
      ...{ endReason: null, endedBy: null, endDetail: null, providerCallId: null, billedMs: 0, warnings: [] },
      ...{ variables: {}, usage: { carrier: { billedMs: 0 } } },
    } as unknown as KnownCall & { type: 'phone'; usage: { carrier: { billedMs: number } } };
    this.calls.set(id, call);
    return call;
  }

  get(id: string) {
    const call = this.calls.get(id);
    if (call === undefined) throw new Error('there is no such call');
    return call;
  }

  /** How it ended, for comparisons. */
  endOf(id: string) {
    const { status, endReason, endedBy, endDetail } = this.get(id);
    return { status, endReason, endedBy, endDetail };
  }

  loadSpeech(): void {}

  async createInbound(queries: Queries, inbound: InboundCall): Promise<InboundResult> {
    if (this.calls.has(inbound.callId)) throw new Error('the call was created twice');
    const call = this.add(inbound.callId, inbound.workspaceId, 'inbound', 'ringing');
    call.agentId = inbound.agent?.id ?? null;
    call.warnings = inbound.warnings.map(({ code }) => code);
    call.variables = inbound.variables;
    const refusal = inbound.refusal ?? this.inboundRefusal;
    if (refusal === null) return { status: 'ringing', call: call as unknown as Call, epoch: this.epoch };
    await this.end(queries, call.workspaceId, call.id, { ...refusal, by: 'system' });
    return { status: 'not_connected', call: call as unknown as Call, detail: refusal.detail };
  }

  async ringing(_queries: Queries, _workspaceId: string, id: string): Promise<void> {
    const call = this.get(id);
    if (call.status === 'registered') call.status = 'ringing';
  }

  async end(queries: Queries, _workspaceId: string, id: string, { reason, by, detail }: PhoneEnding): Promise<boolean> {
    const call = this.calls.get(id);
    if (call === undefined || isOver(call)) return false;
    const status = (['ended', 'not_connected', 'error'] as const).find((each) =>
      (endReasonsOf[each] as readonly string[]).includes(reason),
    );
    Object.assign(call, { status, endReason: reason, endedBy: by, endDetail: detail });
    await this.onSettled(queries, { what: 'ended', call: call as unknown as Call, details: async () => ({}) as never });
    return true;
  }

  async setProviderCallId(_queries: Queries, _workspaceId: string, id: string, providerCallId: string): Promise<void> {
    this.get(id).providerCallId = providerCallId;
  }

  async setBilled(_queries: Queries, _workspaceId: string, id: string, billedMs: number): Promise<void> {
    this.get(id).billedMs = billedMs;
    this.get(id).usage.carrier.billedMs = billedMs;
  }

  async addWarning(_queries: Queries, _workspaceId: string, id: string, code: string): Promise<void> {
    this.get(id).warnings.push(code);
  }

  async read(_workspaceId: string, id: string): Promise<Call | undefined> {
    return this.calls.get(id) as unknown as Call | undefined;
  }

  async find(_workspaceId: string, id: string) {
    const call = this.calls.get(id);
    if (call === undefined) return undefined;
    const { epoch, isOwnedElsewhere, isLost } = this;
    return { call: call as unknown as Call, epoch, isOwnedElsewhere, isLost };
  }

  async tell(_workspaceId: string, _id: string, message: PhoneMessage): Promise<void> {
    this.told.push(message);
  }

  async connect({ callId, epoch }: { callId: string; epoch: number }, media: CallMedia): Promise<() => void> {
    if (epoch !== this.epoch || isOver(this.get(callId))) throw new Error('it has joined before, or it is over');
    this.epoch += 1;
    this.get(callId).status = 'ongoing';
    this.connected.push(media);
    return () => {};
  }
}

function isOver({ status }: KnownCall): boolean {
  return ['ended', 'not_connected', 'error'].includes(status);
}
