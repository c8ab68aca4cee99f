import { timeoutMs } from './settings.ts';

const request = { type: 'http_request', timeoutMs, maxAttempts: 5 } as const;

interface Targets {
  readonly url: string;
  readonly agentId: string;
  readonly phoneNumberId: string;
  /** So far ahead that no phone rings. */
  readonly startAt: string;
}

/** What tells an update that was made twice from one that was made once. */
const countsOnce = (name: string) => ({ [name]: `{{call.metadata.${name}}}x` });

/** All step types; templates whose values change from one moment to the next. */
export function definitionsOf({ url, agentId, phoneNumberId, startAt }: Targets) {
  const trigger = { event: 'call_ended', filter: { field: 'type', op: 'eq', value: 'chat' }, includeDrafts: true };
  const said = '{{transcript.text | default: null}}';
  const text = '{{now}} {{call.metadata.note | default: "none"}}';
  const call = { type: 'phone', agentId, agentVersion: 'latest', fromPhoneNumberId: phoneNumberId, startAt };
  const toCrm = {
    ...request,
    id: 'crm',
    url: `${url}/crm/{{call.id}}?note={{call.metadata.note | default: "none"}}`,
    headers: { Authorization: 'Bearer {{secrets.CRM}}', 'X-Note': text },
    body: { text, said, metadata: '{{call.metadata}}' },
    otherwise: 'count',
  };
  const withAll = [
    toCrm,
    { id: 'count', type: 'update_call', metadata: countsOnce('all') },
    { id: 'pause', type: 'wait', seconds: 2 },
    {
      id: 'choose',
      type: 'condition',
      routes: [{ if: { field: 'steps.crm.statusCode', op: 'lt', value: 300 }, next: 'call_back' }],
      otherwise: 'tell',
    },
    { id: 'call_back', type: 'create_call', call: { ...call, to: '{{call.metadata.to}}' } },
    { ...request, id: 'tell', method: 'PUT', url: `${url}/chat`, form: { text, run: '{{run.id}}' }, otherwise: 'end' },
    { id: 'last', type: 'update_call', metadata: countsOnce('last') },
  ];
  const short = [
    { id: 'count', type: 'update_call', metadata: countsOnce('short') },
    { ...request, id: 'tell', method: 'GET', url: `${url}/short/{{run.id}}?at={{now}}` },
  ];
  return [
    { name: 'all', trigger, steps: withAll },
    { name: 'short', trigger, steps: short },
  ];
}

/** The field of the metadata that a step counts in. */
export const counters: Readonly<Record<string, string>> = {
  'all count': 'all',
  'all last': 'last',
  'short count': 'short',
};
