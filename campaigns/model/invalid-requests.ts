/** Invalid values, by the field that must be reported. */
export const invalidCreateValues: readonly (readonly [field: string, value: unknown])[] = [
  ['name', ''],
  ['name', 'x'.repeat(256)],
  ['name', 5],
  ['name', null],
  ['voiceId', undefined],
  ['voiceTemperature', 2.01],
  ['voiceSpeed', '1'],
  ['voiceEmotion', 'bored'],
  ['fallbackVoiceIds', Array(21).fill('v')],
  ['reminderMaxCount', 1.5],
  ['maxCallDurationMs', 59_999],
  ['language', null],
  ['adaptiveSpeechRate', { enabled: true, minSpeed: 0.8 }],
  ['adaptiveSpeechRate', { enabled: true, minSpeed: 1.1, maxSpeed: 1.2, windowSize: 3 }],
  ['pronunciationDictionary', [{ find: '(', replace: '', isRegex: true }]],
  ['postCallAnalysisData', [{ name: 'a' }]],
  ['webhookUrl', 'http://example.com/'],
  ['responseEngine', { llmWebsocketUrl: 'https://example.com/' }],
  ['startSkillId', ''],
  ['agentVariables', {}],
  ['enableBackchannel', 'true'],
];

export const invalidChangeValues: readonly (readonly [field: string, value: unknown])[] = [
  ['name', ''],
  ['name', null],
  ['voiceId', null],
  ['responseEngine', null],
  ['responseEngine', { type: null }],
  ['responseEngineType', 'custom_llm'],
  ['prompt', 'x'],
  ['llmModel', 'x'],
  ['postCallAnalysisData', null],
  ['boostedKeywords', null],
  ['volume', -0.1],
  ['sttMode', 'slow'],
  ['webhookEvents', ['']],
  ['adaptiveSpeechRate', { windowSize: 11 }],
];

export interface InvalidRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly rawBody?: string;
  readonly status: number;
  readonly code: string;
  readonly fields?: readonly string[];
  readonly hasNoKey?: true;
}

const invalid = { status: 400, code: 'VALIDATION_ERROR' } as const;
const list = { method: 'GET', ...invalid } as const;
const create = { method: 'POST', path: '/api/v1/agents', ...invalid } as const;

export const invalidRequests: readonly InvalidRequest[] = [
  { ...list, path: '/api/v1/agents?limit=0', fields: ['limit'] },
  { ...list, path: '/api/v1/agents?limit=201', fields: ['limit'] },
  { ...list, path: '/api/v1/agents?limit=ten&q=', fields: ['limit', 'q'] },
  { ...list, path: '/api/v1/agents?limit=5&limit=5', fields: ['limit'] },
  { ...list, path: '/api/v1/agents?q=%ff', fields: ['q'] },
  { ...list, path: '/api/v1/api-keys?cursor=abc', fields: ['cursor'] },
  { ...list, path: '/api/v1/audit-log?limit=-1&resourceId=', fields: ['limit', 'resourceId'] },
  { ...list, path: '/api/v1/agents?surplus=1', headers: { Prefer: 'handling=strict' }, fields: ['surplus'] },
  { ...create, rawBody: '{"name":' },
  { ...create, rawBody: '[]' },
  { ...create, rawBody: '{"name":"a","voiceId":"v"}', headers: { 'Content-Type': 'text/plain' } },
  { ...create, rawBody: '{"name":"a\\u0000b","voiceId":"v"}', fields: ['name'] },
  { ...create, rawBody: '{"name":"\\ud800","voiceId":"v"}', fields: ['name'] },
  {
    ...create,
    rawBody: '{"name":"a","voiceId":"v"}',
    headers: { 'Idempotency-Key': 'x'.repeat(256) },
    fields: ['Idempotency-Key'],
  },
  { ...create, rawBody: `${'{"a":'.repeat(70)}1${'}'.repeat(70)}` },
  { method: 'GET', path: '/api/v1/nothing', status: 404, code: 'NOT_FOUND' },
  { method: 'GET', path: '/api/v1/agents/agt_x', status: 404, code: 'NOT_FOUND' },
  { method: 'GET', path: '/api/v1/api-keys/key_x', status: 404, code: 'NOT_FOUND' },
  { method: 'PUT', path: '/api/v1/agents', status: 405, code: 'METHOD_NOT_ALLOWED' },
  { method: 'GET', path: '/api/v1/agents', hasNoKey: true, status: 401, code: 'UNAUTHORIZED' },
];
