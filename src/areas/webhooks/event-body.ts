import { type EventType, maxEventBytes, type Omission } from '../../contract/events.ts';
import { interfaceVersion } from '../../contract/interface-version.ts';

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
  readonly call?: { readonly analysis?: object };
  readonly transcript: object | null;
  readonly omitted: readonly Omission[];
}

const noEvidence = { successful: null, sentiment: null, data: {} };

/** The JSON that is sent, in the order of the contract. */
export function eventJson(
  { id, type, timestamp, workspaceId, sequence }: EventHead,
  data: object,
  test: boolean = false,
): string {
  const apiVersion = interfaceVersion;
  return JSON.stringify({ id, type, timestamp, apiVersion, workspaceId, sequence, test, data });
}

/**
 * The same for an event of a call that can contain its transcript. What does not fit is left out and named in `omitted`.
 * The other fields of a call have limits of their own, so that it fits without these.
 */
export function callEventJson(head: EventHead, data: object, transcript: object | null, isIncluded: boolean): string {
  const isMissing = isIncluded && transcript === null;
  let content: CallData = { ...data, transcript, omitted: isMissing ? ['transcript'] : [] };
  let json = eventJson(head, content);
  for (const leaveOut of [withoutTranscript, withoutEvidence, withoutAnalysisData]) {
    if (Buffer.byteLength(json) <= maxEventBytes) break;
    content = leaveOut(content);
    json = eventJson(head, content);
  }
  return json;
}

/** A stored body without a transcript, with one. */
export function withTranscript(body: string, transcript: object | null): string {
  const event: { readonly data: CallData } = JSON.parse(body);
  const included = JSON.stringify({ ...event, data: { ...event.data, transcript } });
  if (transcript !== null && Buffer.byteLength(included) <= maxEventBytes) return included;
  return JSON.stringify({ ...event, data: { ...event.data, omitted: ['transcript', ...event.data.omitted] } });
}

function withoutTranscript(content: CallData): CallData {
  if (content.transcript === null) return content;
  return { ...content, transcript: null, omitted: [...content.omitted, 'transcript'] };
}

function withoutEvidence(content: CallData): CallData {
  return withAnalysis(content, { evidence: noEvidence }, 'analysis.evidence');
}

function withoutAnalysisData(content: CallData): CallData {
  return withAnalysis(content, { data: {} }, 'analysis.data');
}

function withAnalysis(content: CallData, fields: object, omission: Omission): CallData {
  const { call, omitted } = content;
  if (call?.analysis === undefined) return content;
  return { ...content, call: { ...call, analysis: { ...call.analysis, ...fields } }, omitted: [...omitted, omission] };
}
