/** The frames of a media stream: JSON texts, with numbers as strings. */

export type CarrierFrame =
  | { readonly event: 'start'; readonly streamId: string; readonly callId: string }
  | { readonly event: 'media'; readonly chunk: number; readonly timestampMs: number; readonly codes: Buffer }
  | { readonly event: 'dtmf'; readonly key: string }
  | { readonly event: 'mark'; readonly name: string }
  | { readonly event: 'stop' }
  /** `connected`, audio of our own side, and events that did not exist when this was written. */
  | { readonly event: 'other' };

/** Twilio sends 20 ms; this is a second. */
const maxPayload = 10_668;
const maxMarkLength = 64;
const idPattern = /^[A-Za-z0-9]{1,64}$/;
const keyPattern = /^[0-9A-D*#]$/;
const other: CarrierFrame = { event: 'other' };
const stop: CarrierFrame = { event: 'stop' };

/** Null: malformed. */
export function readFrame(text: string): CarrierFrame | null {
  const frame = objectIn(text);
  switch (frame?.event) {
    case 'media':
      return readMedia(frame.media);
    case 'mark':
      return readMark(frame.mark);
    case 'dtmf':
      return readKey(frame.dtmf);
    case 'start':
      return readStart(frame);
    case 'stop':
      return stop;
    default:
      return typeof frame?.event === 'string' ? other : null;
  }
}

export function mediaFrame(streamId: string, codes: Buffer): string {
  return `{"event":"media","streamSid":"${streamId}","media":{"payload":"${codes.toString('base64')}"}}`;
}

/** The name must not need escaping. */
export function markFrame(streamId: string, name: string): string {
  return `{"event":"mark","streamSid":"${streamId}","mark":{"name":"${name}"}}`;
}

/** Drops what was sent and not played. The carrier still returns the marks. */
export function clearFrame(streamId: string): string {
  return `{"event":"clear","streamSid":"${streamId}"}`;
}

interface Fields {
  readonly [name: string]: unknown;
}

function objectIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function readMedia(media: unknown): CarrierFrame | null {
  if (!isObject(media)) return null;
  const { track, payload } = media;
  if (track !== 'inbound') return track === 'outbound' ? other : null;
  const chunk = wholeNumber(media.chunk);
  const timestampMs = wholeNumber(media.timestamp);
  if (chunk === null || timestampMs === null) return null;
  if (typeof payload !== 'string' || payload === '' || payload.length > maxPayload) return null;
  const codes = Buffer.from(payload, 'base64');
  // Buffer skips what is not base64.
  if (codes.length !== Buffer.byteLength(payload, 'base64')) return null;
  return { event: 'media', chunk, timestampMs, codes };
}

function readMark(mark: unknown): CarrierFrame | null {
  if (!isObject(mark)) return null;
  const { name } = mark;
  return typeof name === 'string' && name.length <= maxMarkLength ? { event: 'mark', name } : null;
}

function readKey(dtmf: unknown): CarrierFrame | null {
  if (!isObject(dtmf)) return null;
  const { digit } = dtmf;
  return typeof digit === 'string' && keyPattern.test(digit) ? { event: 'dtmf', key: digit } : null;
}

/** The id of the stream is in both places. */
function readStart({ start, streamSid: outerId }: Fields): CarrierFrame | null {
  if (!isObject(start)) return null;
  const { streamSid = outerId, callSid, mediaFormat } = start;
  if (!isId(streamSid) || !isId(callSid) || !isObject(mediaFormat)) return null;
  const { encoding, sampleRate, channels } = mediaFormat;
  const isExpected = encoding === 'audio/x-mulaw' && Number(sampleRate) === 8000 && Number(channels) === 1;
  return isExpected ? { event: 'start', streamId: streamSid, callId: callSid } : null;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value);
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}
