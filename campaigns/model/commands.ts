import fc from 'fast-check';
import { callEvents, type Fields } from './agent.ts';

export const scopes = [
  'agents:read',
  'agents:write',
  'keys:read',
  'keys:write',
  'audit:read',
  'calls:read',
  'calls:write',
  'secrets:read',
  'secrets:write',
  'webhooks:read',
  'webhooks:write',
  'phone-numbers:read',
  'phone-numbers:write',
  'knowledge:read',
  'knowledge:write',
  'analytics:read',
  'analytics:write',
  'workflows:read',
  'workflows:write',
  'providers:write',
] as const;

/** Parts of names with their folded form, in which case, width and composition do not matter. */
export const words: readonly (readonly [text: string, plain: string])[] = [
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['ｶﾌﾞｼｷ', 'カブシキ'],
  ['カブシキ', 'カブシキ'],
  ['Ångström', 'ångström'],
  ['A\u030aNGSTRO\u0308M', 'ångström'],
  ['50%', '50%'],
  ['a_b', 'a_b'],
  ['予約受付', '予約受付'],
  ['Alpha', 'alpha'],
  ['"quoted" \\ back', '"quoted" \\ back'],
  ['🙂', '🙂'],
];

export type Condition = 'none' | 'right' | 'stale' | 'any' | 'weak' | 'bare' | 'several';

/** Numbers select among what exists at that time, so that a shrunk sequence is still valid. */
export type Command =
  | { readonly do: 'create'; by: number; name: number[]; body: Fields; repeatKey: number | null; isStrict: boolean }
  | { readonly do: 'create many'; by: number; count: number; name: number[] }
  | { readonly do: 'get'; by: number; agent: number; condition: Condition }
  | { readonly do: 'change'; by: number; agent: number; name: number[] | null; patch: Fields; condition: Condition }
  | {
      readonly do: 'publish';
      by: number;
      agent: number;
      body: Fields | null;
      condition: Condition;
      repeatKey: number | null;
    }
  | { readonly do: 'duplicate'; by: number; agent: number; name: number[] | null; repeatKey: number | null }
  | { readonly do: 'delete'; by: number; agent: number; condition: Condition }
  | {
      readonly do: 'restore';
      by: number;
      agent: number;
      version: number;
      condition: Condition;
      repeatKey: number | null;
    }
  | { readonly do: 'versions'; by: number; agent: number; limit: number | null }
  | { readonly do: 'version'; by: number; agent: number; version: number; condition: Condition }
  | { readonly do: 'diff'; by: number; agent: number; from: number; to: number | null }
  | { readonly do: 'list'; by: number; limit: number | null; search: readonly [number, number, number] | null }
  | {
      readonly do: 'next page';
      cursor: number;
      limit: number | null;
      misuse: 'none' | 'edited' | 'other list' | 'other filter';
    }
  | {
      readonly do: 'create key';
      by: number;
      scopes: number[];
      name: string | null;
      end: 'never' | 'far' | 'past';
      repeatKey: number | null;
    }
  | { readonly do: 'keys'; by: number; limit: number | null }
  | { readonly do: 'key'; by: number; key: number }
  | { readonly do: 'rotate'; by: number; key: number; graceSeconds: number | null; repeatKey: number | null }
  | { readonly do: 'revoke'; by: number; key: number; isDelete: boolean; repeatKey: number | null }
  | { readonly do: 'whoami'; by: number }
  | { readonly do: 'trail'; by: number; limit: number | null; agent: number | null }
  | { readonly do: 'repeat'; by: number; which: number; isOtherCaller: boolean }
  | { readonly do: 'faulty create'; by: number; invalid: number; alsoInvalid: number }
  | { readonly do: 'faulty change'; by: number; agent: number; invalid: number }
  | { readonly do: 'faulty request'; by: number; invalid: number };

const choice = fc.nat(1000);
const nameWords = fc.array(fc.nat(words.length - 1), { minLength: 1, maxLength: 3 });
const limit = fc.option(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(7, 50, 199, 200)));
const repeatKey = fc.option(fc.nat(3), { freq: 2 });
const condition = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Condition>('none') },
  { weight: 4, arbitrary: fc.constantFrom<Condition>('right', 'stale', 'any', 'weak', 'bare', 'several') },
);
const text = (max: number, min = 0) => fc.string({ unit: 'grapheme', minLength: min, maxLength: max });
// Normalized as by JSON serialization, which has no -0.
const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }).map((value) => JSON.parse(JSON.stringify(value)));
const shortList = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 3 });

const plain = {
  versionDescription: fc.option(text(20)),
  voiceId: text(10, 1),
  voiceModel: fc.option(text(10, 1)),
  voiceTemperature: fc.double({ min: 0, max: 2, noNaN: true }),
  voiceSpeed: fc.double({ min: 0.5, max: 2, noNaN: true }),
  voiceEmotion: fc.option(fc.constantFrom('calm', 'sympathetic', 'happy', 'sad', 'angry', 'fearful', 'surprised')),
  volume: fc.double({ min: 0, max: 2, noNaN: true }),
  enableDynamicVoiceSpeed: fc.boolean(),
  fallbackVoiceIds: shortList(text(10, 1)),
  responsiveness: fc.double({ min: 0, max: 1, noNaN: true }),
  interruptionSensitivity: fc.double({ min: 0, max: 1, noNaN: true }),
  enableBackchannel: fc.boolean(),
  backchannelFrequency: fc.double({ min: 0, max: 1, noNaN: true }),
  backchannelWords: shortList(text(5, 1)),
  reminderTriggerMs: fc.integer({ min: 1000, max: 600_000 }),
  reminderMaxCount: fc.integer({ min: 0, max: 100 }),
  beginMessageDelayMs: fc.integer({ min: 0, max: 5000 }),
  endCallAfterSilenceMs: fc.integer({ min: 10_000, max: 7_200_000 }),
  maxCallDurationMs: fc.integer({ min: 60_000, max: 7_200_000 }),
  language: text(10),
  sttMode: fc.constantFrom('fast', 'accurate'),
  sttProvider: text(10, 1),
  ttsProvider: text(10, 1),
  boostedKeywords: shortList(text(10, 1)),
  postCallAnalysisModel: text(10, 1),
  webhookUrl: fc.constantFrom(null, 'https://example.com/hook', 'http://localhost:1/x', 'http://127.0.0.1/'),
  webhookEvents: shortList(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...callEvents) }, { weight: 1, arbitrary: text(10, 1) }),
  ),
  dataStorageSetting: fc.constantFrom('everything', 'everything_except_pii', 'basic_attributes_only'),
  agentVariables: shortList(json),
  agentSettings: json,
  startSkillId: text(10, 1),
  agentGlobalPrompt: text(20),
  pronunciationDictionary: shortList(
    fc.record(
      { find: text(5, 1), replace: text(5), isRegex: fc.constant(false) },
      { requiredKeys: ['find', 'replace'] },
    ),
  ),
  postCallAnalysisData: shortList(
    fc.record(
      {
        name: fc.constantFrom('booked', 'mood', 'amount'),
        type: fc.constantFrom('string', 'enum', 'boolean', 'number'),
        description: text(10),
        options: shortList(text(5, 1)),
      },
      { requiredKeys: ['name', 'type', 'description'] },
    ),
  ),
};
const engineParts = {
  type: fc.constantFrom('single_prompt', 'conversation_flow', 'custom_llm'),
  prompt: text(20),
  model: text(10),
  llmWebsocketUrl: fc.constantFrom('ws://localhost/llm', 'wss://example.com/llm'),
};
const rateParts = {
  enabled: fc.boolean(),
  minSpeed: fc.double({ min: 0.5, max: 1, noNaN: true }),
  maxSpeed: fc.double({ min: 1, max: 2, noNaN: true }),
  windowSize: fc.integer({ min: 1, max: 10 }),
  speedRatio: fc.double({ min: 0.5, max: 2, noNaN: true }),
};
/** Some of the fields. */
function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> {
  return fc
    .subarray(Object.keys(fields), { maxLength: 5 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, fields[name] as fc.Arbitrary<unknown>]))),
    );
}
const orNull = (fields: Record<string, fc.Arbitrary<unknown>>, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, names.includes(name) ? fc.option(value, { freq: 2 }) : value]),
  );

const createBody = some({
  ...plain,
  beginMessage: text(20),
  adaptiveSpeechRate: fc.record(rateParts, { requiredKeys: ['enabled', 'minSpeed', 'maxSpeed', 'windowSize'] }),
  responseEngine: fc.record(engineParts, { requiredKeys: [] }),
  unknownField: json,
  id: fc.constant('agt_mine'),
}).chain((body) =>
  // If both forms are given they must agree, so the short one is used only without the other.
  body.responseEngine !== undefined
    ? fc.constant(body)
    : fc
        .record({ responseEngineType: engineParts.type, prompt: text(20), llmModel: text(10) }, { requiredKeys: [] })
        .map((short) => ({ ...body, ...short })),
);
const patch = some({
  ...orNull(plain, ['startSkillId', 'agentGlobalPrompt', 'agentVariables', 'agentSettings', 'pronunciationDictionary']),
  beginMessage: fc.option(text(20)),
  adaptiveSpeechRate: fc.option(fc.record(orNull(rateParts, ['speedRatio']), { requiredKeys: [] }), { freq: 4 }),
  responseEngine: fc.record(orNull(engineParts, ['prompt', 'model', 'llmWebsocketUrl']), { requiredKeys: [] }),
  unknownField: json,
  version: fc.constant(77),
});

const by = choice;
const agent = choice;
const weighted: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Command>])[] = [
  [
    14,
    fc.record({
      do: fc.constant('create'),
      by,
      name: nameWords,
      body: createBody,
      repeatKey,
      isStrict: fc.constant(false),
    }),
  ],
  [
    1,
    fc.record({
      do: fc.constant('create'),
      by,
      name: nameWords,
      body: createBody,
      repeatKey,
      isStrict: fc.constant(true),
    }),
  ],
  [9, fc.record({ do: fc.constant('get'), by, agent, condition })],
  [16, fc.record({ do: fc.constant('change'), by, agent, name: fc.option(nameWords, { freq: 3 }), patch, condition })],
  [
    9,
    fc.record({
      do: fc.constant('publish'),
      by,
      agent,
      body: fc.option(fc.record({ versionDescription: plain.versionDescription }, { requiredKeys: [] })),
      condition,
      repeatKey,
    }),
  ],
  [4, fc.record({ do: fc.constant('duplicate'), by, agent, name: fc.option(nameWords), repeatKey })],
  [4, fc.record({ do: fc.constant('delete'), by, agent, condition })],
  [5, fc.record({ do: fc.constant('restore'), by, agent, version: choice, condition, repeatKey })],
  [4, fc.record({ do: fc.constant('versions'), by, agent, limit })],
  [5, fc.record({ do: fc.constant('version'), by, agent, version: choice, condition })],
  [5, fc.record({ do: fc.constant('diff'), by, agent, from: choice, to: fc.option(choice) })],
  [
    7,
    fc.record({
      do: fc.constant('list'),
      by,
      limit,
      search: fc.option(fc.tuple(fc.nat(words.length - 1), fc.nat(3), fc.nat(8)), { freq: 2 }),
    }),
  ],
  [
    9,
    fc.record({
      do: fc.constant('next page'),
      cursor: choice,
      limit,
      misuse: fc.oneof(
        { weight: 8, arbitrary: fc.constant('none' as const) },
        { weight: 1, arbitrary: fc.constantFrom('edited' as const, 'other list' as const, 'other filter' as const) },
      ),
    }),
  ],
  [
    3,
    fc.record({
      do: fc.constant('create key'),
      by,
      scopes: fc.array(fc.nat(scopes.length - 1), { minLength: 1, maxLength: 6 }),
      name: fc.option(text(10)),
      end: fc.constantFrom('never' as const, 'never' as const, 'far' as const, 'past' as const),
      repeatKey,
    }),
  ],
  [2, fc.record({ do: fc.constant('keys'), by, limit })],
  [2, fc.record({ do: fc.constant('key'), by, key: choice })],
  [
    2,
    fc.record({
      do: fc.constant('rotate'),
      by,
      key: choice,
      graceSeconds: fc.option(fc.constantFrom(0, 600, 2_592_000)),
      repeatKey,
    }),
  ],
  [1, fc.record({ do: fc.constant('revoke'), by, key: choice, isDelete: fc.boolean(), repeatKey })],
  [2, fc.record({ do: fc.constant('whoami'), by })],
  [4, fc.record({ do: fc.constant('trail'), by, limit, agent: fc.option(choice, { freq: 2 }) })],
  [5, fc.record({ do: fc.constant('repeat'), by, which: choice, isOtherCaller: fc.boolean() })],
  [2, fc.record({ do: fc.constant('faulty create'), by, invalid: choice, alsoInvalid: choice })],
  [2, fc.record({ do: fc.constant('faulty change'), by, agent, invalid: choice })],
  [2, fc.record({ do: fc.constant('faulty request'), by, invalid: choice })],
] as const as readonly (readonly [number, fc.Arbitrary<Command>])[];

const usual = weighted.map(([weight, arbitrary]) => ({ weight: weight * 10, arbitrary }));
/** Enough agents for the name index to create blocks. */
const many = fc.record({
  do: fc.constant('create many' as const),
  by,
  count: fc.integer({ min: 35, max: 70 }),
  name: nameWords,
});

export function sequenceOf(longest: number): fc.Arbitrary<Command[]> {
  const command = fc.oneof(...usual, { weight: 4, arbitrary: many });
  return fc.array(command, { minLength: 1, maxLength: longest, size: 'max' });
}
