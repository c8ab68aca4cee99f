import { Column, Entity, PrimaryColumn } from 'typeorm';

export interface ResponseEngine {
  type: string;
  prompt?: string | undefined;
  model?: string | undefined;
  llmWebsocketUrl?: string | undefined;
}

@Entity('agents')
export class AgentEntity {
  @PrimaryColumn('text')
  workspaceId: string;

  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: string;

  @Column('integer')
  version: number;

  @Column('boolean')
  isPublished: boolean;

  @Column('text', { nullable: true })
  versionDescription: string | null;

  @Column('simple-json')
  responseEngine: ResponseEngine;

  @Column('text')
  voiceId: string;

  @Column('text', { nullable: true })
  voiceModel: string | null;

  @Column('real')
  voiceTemperature: number;

  @Column('real')
  voiceSpeed: number;

  @Column('text', { nullable: true })
  voiceEmotion: string | null;

  @Column('real')
  volume: number;

  @Column('boolean')
  enableDynamicVoiceSpeed: boolean;

  @Column('simple-json')
  fallbackVoiceIds: string[];

  @Column('real')
  responsiveness: number;

  @Column('real')
  interruptionSensitivity: number;

  @Column('boolean')
  enableBackchannel: boolean;

  @Column('real')
  backchannelFrequency: number;

  @Column('simple-json')
  backchannelWords: string[];

  @Column('real')
  reminderTriggerMs: number;

  @Column('integer')
  reminderMaxCount: number;

  @Column('real')
  beginMessageDelayMs: number;

  @Column('text', { nullable: true })
  beginMessage: string | null;

  @Column('real')
  endCallAfterSilenceMs: number;

  @Column('real')
  maxCallDurationMs: number;

  @Column('text')
  language: string;

  @Column('text')
  sttMode: string;

  @Column('text')
  sttProvider: string;

  @Column('text')
  ttsProvider: string;

  @Column('simple-json')
  boostedKeywords: string[];

  @Column('simple-json', { nullable: true })
  adaptiveSpeechRate: object | null;

  @Column('simple-json', { nullable: true })
  pronunciationDictionary: object[] | null;

  @Column('simple-json')
  postCallAnalysisData: object[];

  @Column('text')
  postCallAnalysisModel: string;

  @Column('text', { nullable: true })
  webhookUrl: string | null;

  @Column('simple-json')
  webhookEvents: string[];

  @Column('text')
  dataStorageSetting: string;

  @Column('text', { nullable: true })
  startSkillId: string | null;

  @Column('text', { nullable: true })
  agentGlobalPrompt: string | null;

  @Column('simple-json', { nullable: true })
  agentVariables: object[] | null;

  @Column('simple-json', { nullable: true })
  agentSettings: object | null;

  @Column('text')
  createdAt: string;

  @Column('text')
  updatedAt: string;
}
