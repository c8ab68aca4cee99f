import { contractFields } from './contract-fields.ts';

export type FieldName = keyof typeof contractFields;

/** The rules of a field, or of a nested part of one, from the contract. */
export interface FieldRules {
  readonly type: string;
  readonly description: string;
  readonly isNullable?: boolean;
  readonly isOptional?: boolean;
  readonly isRequired?: boolean;
  readonly options?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly item?: FieldRules;
  readonly parts?: Readonly<Record<string, FieldRules>>;
}

export type ControlKind =
  | 'text'
  | 'voice'
  | 'language'
  | 'voice-model'
  | 'provider'
  | 'long-text'
  | 'prompt'
  | 'choice'
  | 'segments'
  | 'switch'
  | 'number'
  | 'slider'
  | 'duration'
  | 'words'
  | 'ordered-words'
  | 'pronunciations'
  | 'analysis'
  | 'speech-rate'
  | 'begin-message'
  | 'json';

export type GroupName =
  | 'basics'
  | 'voice'
  | 'conversation'
  | 'recognition'
  | 'engine'
  | 'analysis'
  | 'webhooks'
  | 'data';

interface Layout {
  readonly group: GroupName;
  readonly control: ControlKind;
  readonly step?: number;
  /** The unit shown after the number. */
  readonly unit?: 'ms' | '×' | 'times';
}

export const groups: readonly GroupName[] = [
  'basics',
  'voice',
  'conversation',
  'recognition',
  'engine',
  'analysis',
  'webhooks',
  'data',
];

/** Every writable field, in form order. A field of the contract that is missing here is a compile error. */
const layouts: Readonly<Record<FieldName, Layout>> = {
  name: { group: 'basics', control: 'text' },
  language: { group: 'basics', control: 'language' },
  versionDescription: { group: 'basics', control: 'long-text' },

  voiceId: { group: 'voice', control: 'voice' },
  voiceModel: { group: 'voice', control: 'voice-model' },
  ttsProvider: { group: 'voice', control: 'provider' },
  fallbackVoiceIds: { group: 'voice', control: 'ordered-words' },
  voiceSpeed: { group: 'voice', control: 'slider', step: 0.05, unit: '×' },
  voiceTemperature: { group: 'voice', control: 'slider', step: 0.05 },
  volume: { group: 'voice', control: 'slider', step: 0.05, unit: '×' },
  voiceEmotion: { group: 'voice', control: 'choice' },
  enableDynamicVoiceSpeed: { group: 'voice', control: 'switch' },
  adaptiveSpeechRate: { group: 'voice', control: 'speech-rate' },
  pronunciationDictionary: { group: 'voice', control: 'pronunciations' },

  beginMessage: { group: 'conversation', control: 'begin-message' },
  beginMessageDelayMs: { group: 'conversation', control: 'slider', step: 100, unit: 'ms' },
  responsiveness: { group: 'conversation', control: 'slider', step: 0.05 },
  interruptionSensitivity: { group: 'conversation', control: 'slider', step: 0.05 },
  enableBackchannel: { group: 'conversation', control: 'switch' },
  backchannelFrequency: { group: 'conversation', control: 'slider', step: 0.05 },
  backchannelWords: { group: 'conversation', control: 'words' },
  reminderTriggerMs: { group: 'conversation', control: 'duration', step: 1000, unit: 'ms' },
  reminderMaxCount: { group: 'conversation', control: 'number', step: 1, unit: 'times' },
  endCallAfterSilenceMs: { group: 'conversation', control: 'duration', step: 10_000, unit: 'ms' },
  maxCallDurationMs: { group: 'conversation', control: 'duration', step: 60_000, unit: 'ms' },

  sttMode: { group: 'recognition', control: 'segments' },
  sttProvider: { group: 'recognition', control: 'provider' },
  boostedKeywords: { group: 'recognition', control: 'words' },

  'responseEngine.type': { group: 'engine', control: 'choice' },
  'responseEngine.model': { group: 'engine', control: 'text' },
  'responseEngine.prompt': { group: 'engine', control: 'prompt' },
  'responseEngine.llmWebsocketUrl': { group: 'engine', control: 'text' },
  startSkillId: { group: 'engine', control: 'text' },
  agentGlobalPrompt: { group: 'engine', control: 'prompt' },
  agentVariables: { group: 'engine', control: 'json' },

  postCallAnalysisModel: { group: 'analysis', control: 'text' },
  postCallAnalysisData: { group: 'analysis', control: 'analysis' },

  webhookUrl: { group: 'webhooks', control: 'text' },
  webhookEvents: { group: 'webhooks', control: 'words' },

  dataStorageSetting: { group: 'data', control: 'choice' },
  agentSettings: { group: 'data', control: 'json' },
};

export interface Field extends Layout {
  readonly name: FieldName;
  readonly rules: FieldRules;
}

export const fields: readonly Field[] = Object.entries(layouts).map(([name, layout]) => ({
  ...layout,
  name: name as FieldName,
  rules: contractFields[name as FieldName],
}));

export function fieldNamed(name: FieldName): Field {
  return fields.find((field) => field.name === name) as Field;
}

export function fieldsOf(group: GroupName): readonly Field[] {
  return fields.filter((field) => field.group === group);
}

/** The DOM id of a field, or of a nested path in it. */
export function placeOf(path: string): string {
  return `field-${path}`;
}
