import { createHash, randomBytes } from 'node:crypto';

/** What every process knows of the trace of a call without asking another one. */
export interface TraceIds {
  readonly traceId: Buffer;
  /** The root span, which is sent last. */
  readonly rootId: Buffer;
}

/** Any process adds to the same trace, so its ids follow from that of the call. */
export function traceIdsOf(callId: string): TraceIds {
  const digest = createHash('sha256').update(`voice-agents trace of ${callId}`).digest();
  return { traceId: digest.subarray(0, 16), rootId: digest.subarray(16, 24) };
}

/** Eight random bytes that are not all zero. */
export function newSpanId(): Buffer {
  const id = randomBytes(8);
  if (id.every((byte) => byte === 0)) id[0] = 1;
  return id;
}

/** The header of W3C Trace Context. */
export function traceparentOf(traceId: Buffer, spanId: Buffer, isSampled: boolean): string {
  return `00-${traceId.toString('hex')}-${spanId.toString('hex')}-${isSampled ? '01' : '00'}`;
}

/**
 * Whether a trace belongs to this share of all traces. By its id, so that every process decides the same, and by the
 * part of the id that W3C Trace Context calls random, in which samplers of other services may see the same share.
 */
export function isSampled(traceId: Buffer, ratio: number): boolean {
  const random = traceId.readUIntBE(9, 1) * 2 ** 48 + traceId.readUIntBE(10, 6);
  return random >= (1 - ratio) * 2 ** 56;
}
