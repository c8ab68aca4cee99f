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
  | 'model'
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
  | 'voices'
  | 'pronunciations'
  | 'analysis'
  | 'speech-rate'
  | 'begin-message'
  | 'variables'
  | 'json';

export type GroupName =
  | 'basics'
  | 'engine'
  | 'advanced'
  | 'voice'
  | 'conversation'
  | 'recognition'
  | 'analysis'
  | 'data'
  | 'webhooks';

/** The tabs of the editor that have fields. */
export type FieldTab = 'prompt' | 'voice' | 'analysis' | 'webhook';

interface Layout {
  readonly group: GroupName;
  readonly control: ControlKind;
  readonly step?: number;
  /** The unit of the number. Milliseconds are shown and entered as seconds. */
  readonly unit?: 'ms' | '×' | 'times';
}

/** The groups of each tab, in order. */
export const groupsOf: Readonly<Record<FieldTab, readonly GroupName[]>> = {
  prompt: ['basics', 'engine', 'advanced'],
  voice: ['voice', 'conversation', 'recognition'],
  analysis: ['analysis', 'data'],
  webhook: ['webhooks'],
};

/** Every writable field, in form order. A field of the contract that is missing here is a compile error. */
const layouts: Readonly<Record<FieldName, Layout>> = {
  name: { group: 'basics', control: 'text' },
  language: { group: 'basics', control: 'language' },
  'responseEngine.type': { group: 'basics', control: 'choice' },

  'responseEngine.prompt': { group: 'engine', control: 'prompt' },
  'responseEngine.llmWebsocketUrl': { group: 'engine', control: 'text' },
  beginMessage: { group: 'engine', control: 'begin-message' },
  'responseEngine.model': { group: 'engine', control: 'model' },
  agentGlobalPrompt: { group: 'engine', control: 'prompt' },

  startSkillId: { group: 'advanced', control: 'text' },
  agentVariables: { group: 'advanced', control: 'variables' },
  versionDescription: { group: 'advanced', control: 'long-text' },
  agentSettings: { group: 'advanced', control: 'json' },

  voiceId: { group: 'voice', control: 'voice' },
  voiceSpeed: { group: 'voice', control: 'slider', step: 0.05, unit: '×' },
  volume: { group: 'voice', control: 'slider', step: 0.05, unit: '×' },
  voiceTemperature: { group: 'voice', control: 'slider', step: 0.05 },
  voiceEmotion: { group: 'voice', control: 'choice' },
  ttsProvider: { group: 'voice', control: 'provider' },
  voiceModel: { group: 'voice', control: 'voice-model' },
  fallbackVoiceIds: { group: 'voice', control: 'voices' },
  enableDynamicVoiceSpeed: { group: 'voice', control: 'switch' },
  adaptiveSpeechRate: { group: 'voice', control: 'speech-rate' },
  pronunciationDictionary: { group: 'voice', control: 'pronunciations' },

  responsiveness: { group: 'conversation', control: 'slider', step: 0.05 },
  interruptionSensitivity: { group: 'conversation', control: 'slider', step: 0.05 },
  beginMessageDelayMs: { group: 'conversation', control: 'slider', step: 100, unit: 'ms' },
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

  postCallAnalysisData: { group: 'analysis', control: 'analysis' },
  postCallAnalysisModel: { group: 'analysis', control: 'model' },

  dataStorageSetting: { group: 'data', control: 'choice' },

  webhookUrl: { group: 'webhooks', control: 'text' },
  webhookEvents: { group: 'webhooks', control: 'words' },
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

/** The tab on which a field is. */
export function tabOf({ group }: Pick<Field, 'group'>): FieldTab {
  const tabs = Object.keys(groupsOf) as FieldTab[];
  return tabs.find((tab) => groupsOf[tab].includes(group)) ?? 'prompt';
}

/** The DOM id of a field, or of a nested path in it. */
export function placeOf(path: string): string {
  return `field-${path}`;
}
