import { epochOf } from '../../calendar.ts';
import type { CarrierCall, CarrierCallState, CarrierNumber } from '../carrier.ts';
import { stateOf } from './codes.ts';
import type { Json } from './requests.ts';

/** A call as the carrier describes it; null if the JSON is no call. */
export function readCall(json: Json): CarrierCall | null {
  const providerCallId = textIn(json, 'sid');
  const state = stateIn(json);
  const createdAt = timeIn(json, 'date_created');
  if (providerCallId === null || state === null || createdAt === null) return null;
  return {
    providerCallId,
    from: textIn(json, 'from') ?? '',
    to: textIn(json, 'to') ?? '',
    // The others are `outbound-api` and `outbound-dial`.
    direction: textIn(json, 'direction') === 'inbound' ? 'inbound' : 'outbound',
    state,
    createdAt,
    startedAt: timeIn(json, 'start_time'),
    endedAt: timeIn(json, 'end_time'),
    durationSeconds: durationIn(json),
  };
}

/** The state of a call after a request that changes it. */
export function stateIn(json: Json): CarrierCallState | null {
  return stateOf(textIn(json, 'status'));
}

/** A number of the account; null if the JSON is no number. */
export function readNumber(json: Json): CarrierNumber | null {
  const providerNumberId = textIn(json, 'sid');
  const number = textIn(json, 'phone_number');
  if (providerNumberId === null || number === null) return null;
  const { capabilities } = json;
  const hasVoice = typeof capabilities === 'object' && capabilities !== null && 'voice' in capabilities;
  return {
    providerNumberId,
    number,
    name: textIn(json, 'friendly_name') ?? number,
    hasVoice: hasVoice && capabilities.voice === true,
    voiceUrl: textIn(json, 'voice_url'),
    statusUrl: textIn(json, 'status_callback'),
    overriddenBy: textIn(json, 'trunk_sid') ?? textIn(json, 'voice_application_sid'),
  };
}

/** Null also if it is empty, which is how the carrier writes that there is none. */
function textIn(json: Json, name: string): string | null {
  const value = json[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Such as `Tue, 31 Aug 2010 20:36:28 +0000`. */
function timeIn(json: Json, name: string): number | null {
  const time = epochOf(textIn(json, name) ?? '');
  return Number.isNaN(time) ? null : time;
}

function durationIn(json: Json): number | null {
  const duration = textIn(json, 'duration');
  return duration !== null && /^\d{1,9}$/.test(duration) ? Number(duration) : null;
}
