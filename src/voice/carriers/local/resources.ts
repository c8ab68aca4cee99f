import type { Account, OwnedNumber } from './accounts.ts';
import { apiVersion, rfc2822 } from './formats.ts';
import type { Leg } from './leg.ts';

/** Twilio's JSON. */
export type Resource = Readonly<Record<string, unknown>>;

export function accountPath(account: Account): string {
  return `/${apiVersion}/Accounts/${account.sid}`;
}

export function accountResource(account: Account): Resource {
  const path = accountPath(account);
  return {
    auth_token: account.options.authToken,
    date_created: rfc2822(account.createdAt),
    date_updated: rfc2822(account.createdAt),
    friendly_name: account.options.friendlyName ?? account.sid,
    owner_account_sid: account.sid,
    sid: account.sid,
    status: 'active',
    subresource_uris: {
      calls: `${path}/Calls.json`,
      incoming_phone_numbers: `${path}/IncomingPhoneNumbers.json`,
    },
    type: 'Full',
    uri: `${path}.json`,
  };
}

export function callResource(leg: Leg): Resource {
  const { account, direction, from, to, parentSid, phoneNumberSid } = leg.options;
  const path = `${accountPath(account)}/Calls/${leg.sid}`;
  return {
    sid: leg.sid,
    date_created: rfc2822(leg.createdAt),
    date_updated: rfc2822(leg.updatedAt),
    parent_call_sid: parentSid,
    account_sid: account.sid,
    to,
    to_formatted: to,
    from,
    from_formatted: from,
    phone_number_sid: phoneNumberSid,
    status: leg.status,
    start_time: timeOf(leg.startedAt),
    end_time: timeOf(leg.endedAt),
    duration: leg.endedAt === null ? null : String(leg.durationSeconds),
    price: null,
    price_unit: 'USD',
    direction,
    answered_by: leg.answeredBy,
    annotation: null,
    api_version: apiVersion,
    forwarded_from: null,
    group_sid: null,
    caller_name: null,
    queue_time: String(Math.round(leg.queueMs)),
    trunk_sid: null,
    uri: `${path}.json`,
    subresource_uris: Object.fromEntries(
      ['events', 'notifications', 'recordings', 'streams'].map((name) => [
        name,
        `${path}/${name[0]?.toUpperCase()}${name.slice(1)}.json`,
      ]),
    ),
  };
}

export function numberResource(account: Account, owned: OwnedNumber): Resource {
  return {
    sid: owned.sid,
    account_sid: account.sid,
    friendly_name: owned.friendlyName,
    phone_number: owned.number,
    voice_url: owned.voiceUrl,
    voice_method: owned.voiceMethod,
    voice_fallback_url: owned.voiceFallbackUrl,
    voice_fallback_method: owned.voiceFallbackMethod,
    voice_caller_id_lookup: false,
    voice_application_sid: owned.voiceApplicationSid || null,
    voice_receive_mode: 'voice',
    trunk_sid: owned.trunkSid || null,
    status_callback: owned.statusCallback,
    status_callback_method: owned.statusCallbackMethod,
    date_created: rfc2822(owned.createdAt),
    date_updated: rfc2822(owned.updatedAt),
    sms_url: '',
    sms_method: 'POST',
    sms_fallback_url: '',
    sms_fallback_method: 'POST',
    sms_application_sid: '',
    address_requirements: 'none',
    address_sid: null,
    identity_sid: null,
    bundle_sid: null,
    emergency_status: 'Inactive',
    emergency_address_sid: null,
    emergency_address_status: 'unregistered',
    beta: false,
    capabilities: { voice: owned.voice, sms: false, mms: false, fax: false },
    origin: 'twilio',
    status: 'in-use',
    type: null,
    api_version: apiVersion,
    uri: `${accountPath(account)}/IncomingPhoneNumbers/${owned.sid}.json`,
    subresource_uris: {},
  };
}

function timeOf(epochMs: number | null): string | null {
  return epochMs === null ? null : rfc2822(epochMs);
}
