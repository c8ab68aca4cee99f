import { interfaceVersion } from '../../contract/interface-version.ts';
import { type EventType, maxEventBytes, type Omission } from '../../contract/webhooks/events.ts';
import { boundedJson } from '../../core/json-limits.ts';

/** What every body starts with. */
export interface EventHead {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly workspaceId: string;
  readonly sequence: number;
}

/** The `data` of events that can contain a transcript. */
interface CallData {
  readonly call?: {
    readonly analysis?: { readonly issues?: readonly { readonly field: string }[] };
    readonly collectedVariables?: object;
  };
  readonly transcript: object | null;
  readonly omitted: readonly Omission[];
}

const noEvidence = { successful: null, sentiment: null, data: {} };

/** The JSON that is sent, in the order of the contract. */
export function eventJson(head: EventHead, data: object, test: boolean = false): string {
  return boundedJson(bodyOf(head, data, test));
}

/** The same for an event of a call that can contain its transcript. */
export function callEventJson(head: EventHead, data: object, transcript: object | null, isIncluded: boolean): string {
  const isMissing = isIncluded && transcript === null;
  return fittingJson(bodyOf(head, { ...data, transcript, omitted: isMissing ? ['transcript'] : [] }, false));
}

/** A stored body without a transcript, with one. */
export function withTranscript(body: string, transcript: object | null): string {
  const event: Body<CallData> = JSON.parse(body);
  const { data } = event;
  const omitted: readonly Omission[] = transcript === null ? ['transcript', ...data.omitted] : data.omitted;
  return fittingJson({ ...event, data: { ...data, transcript, omitted } });
}

/** A stored body with other content, which may be longer. */
export function rewrittenJson(event: object): string {
  const { data } = event as { readonly data?: Partial<CallData> };
  return data?.omitted === undefined ? boundedJson(event) : fittingJson(event as Body<CallData>);
}

interface Body<Data> {
  readonly data: Data;
}

function bodyOf<Data extends object>(
  { id, type, timestamp, workspaceId, sequence }: EventHead,
  data: Data,
  test: boolean,
): Body<Data> {
  return { id, type, timestamp, apiVersion: interfaceVersion, workspaceId, sequence, test, data } as Body<Data>;
}

/**
 * What does not fit is left out and named in `omitted`. The other fields of a call have limits of their own, so that it
 * fits without these.
 */
function fittingJson(body: Body<CallData>): string {
  let event = body;
  let json = boundedJson(event);
  for (const leaveOut of omissionsInOrder) {
    if (Buffer.byteLength(json) <= maxEventBytes) break;
    event = { ...event, data: leaveOut(event.data) };
    json = boundedJson(event);
  }
  return json;
}

const omissionsInOrder = [
  withoutTranscript,
  withoutEvidence,
  withoutAnalysisData,
  withoutIssuesOfData,
  withoutCollectedVariables,
];

function withoutTranscript(content: CallData): CallData {
  if (content.transcript === null) return content;
  return { ...content, transcript: null, omitted: ['transcript', ...content.omitted] };
}

function withoutEvidence(content: CallData): CallData {
  return withAnalysis(content, { evidence: noEvidence }, 'analysis.evidence');
}

function withoutAnalysisData(content: CallData): CallData {
  return withAnalysis(content, { data: {} }, 'analysis.data');
}

/** What was wrong with the data goes with it: 200 names can have more than 256 KiB. */
function withoutIssuesOfData(content: CallData): CallData {
  const issues = content.call?.analysis?.issues?.filter(({ field }) => !field.startsWith('data.')) ?? [];
  return withAnalysis(content, { issues }, 'analysis.data');
}

/** Collected variables have a limit of their own, which older calls did not have. */
function withoutCollectedVariables(content: CallData): CallData {
  const { call, omitted } = content;
  if (call === undefined) return content;
  return { ...content, call: { ...call, collectedVariables: {} }, omitted: [...omitted, 'collectedVariables'] };
}

function withAnalysis(content: CallData, fields: object, omission: Omission): CallData {
  const { call } = content;
  if (call?.analysis === undefined) return content;
  const omitted = content.omitted.includes(omission) ? content.omitted : [...content.omitted, omission];
  return { ...content, call: { ...call, analysis: { ...call.analysis, ...fields } }, omitted };
}
