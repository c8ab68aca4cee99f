import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';

const engineTypes = ['single_prompt', 'conversation_flow', 'custom_llm'];

export class ResponseEngineDto {
  @IsOptional()
  @IsIn(engineTypes)
  type?: string;

  @IsOptional()
  @IsString()
  @MaxLength(200_000)
  prompt?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  model?: string;

  @IsOptional()
  @IsString()
  @Length(1, 2048)
  @Matches(/^wss?:\/\//)
  llmWebsocketUrl?: string;
}

export class AdaptiveSpeechRateDto {
  @IsBoolean()
  enabled: boolean;

  @IsNumber()
  @Min(0.5)
  @Max(1)
  minSpeed: number;

  @IsNumber()
  @Min(1)
  @Max(2)
  maxSpeed: number;

  @IsInt()
  @Min(1)
  @Max(10)
  windowSize: number;

  @IsOptional()
  @IsNumber()
  @Min(0.5)
  @Max(2)
  speedRatio?: number;
}

export class PronunciationRuleDto {
  @IsString()
  @Length(1, 1000)
  find: string;

  @IsString()
  @MaxLength(1000)
  replace: string;

  @IsOptional()
  @IsBoolean()
  isRegex?: boolean;
}

export class AnalysisItemDto {
  @IsString()
  @Length(1, 255)
  name: string;

  @IsIn(['string', 'enum', 'boolean', 'number'])
  type: string;

  @IsString()
  @MaxLength(10_000)
  description: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1000)
  @IsString({ each: true })
  @Length(1, 1000, { each: true })
  options?: string[];
}

export class CreateAgentDto {
  @IsString()
  @Length(1, 255)
  name: string;

  @IsString()
  @Length(1, 255)
  voiceId: string;

  @IsOptional()
  @IsIn(engineTypes)
  responseEngineType?: string;

  @IsOptional()
  @IsString()
  @MaxLength(200_000)
  prompt?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  llmModel?: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => ResponseEngineDto)
  responseEngine?: ResponseEngineDto;

  @IsOptional()
  @IsString()
  @MaxLength(500)
  versionDescription: string | null = null;

  @IsOptional()
  @IsString()
  @Length(1, 255)
  voiceModel: string | null = null;

  @IsNumber()
  @Min(0)
  @Max(2)
  voiceTemperature = 1;

  @IsNumber()
  @Min(0.5)
  @Max(2)
  voiceSpeed = 1;

  @IsOptional()
  @IsIn(['calm', 'sympathetic', 'happy', 'sad', 'angry', 'fearful', 'surprised'])
  voiceEmotion: string | null = null;

  @IsNumber()
  @Min(0)
  @Max(2)
  volume = 1;

  @IsBoolean()
  enableDynamicVoiceSpeed = false;

  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @Length(1, 255, { each: true })
  fallbackVoiceIds: string[] = [];

  @IsNumber()
  @Min(0)
  @Max(1)
  responsiveness = 1;

  @IsNumber()
  @Min(0)
  @Max(1)
  interruptionSensitivity = 1;

  @IsBoolean()
  enableBackchannel = false;

  @IsNumber()
  @Min(0)
  @Max(1)
  backchannelFrequency = 0.8;

  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @Length(1, 100, { each: true })
  backchannelWords: string[] = [];

  @IsNumber()
  @Min(1000)
  @Max(600_000)
  reminderTriggerMs = 10_000;

  @IsInt()
  @Min(0)
  @Max(100)
  reminderMaxCount = 1;

  @IsNumber()
  @Min(0)
  @Max(5000)
  beginMessageDelayMs = 0;

  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  beginMessage: string | null = null;

  @IsNumber()
  @Min(10_000)
  @Max(7_200_000)
  endCallAfterSilenceMs = 600_000;

  @IsNumber()
  @Min(60_000)
  @Max(7_200_000)
  maxCallDurationMs = 3_600_000;

  @IsString()
  @MaxLength(64)
  language = 'ja';

  @IsIn(['fast', 'accurate'])
  sttMode = 'fast';

  @IsString()
  @Length(1, 100)
  sttProvider = 'auto';

  @IsString()
  @Length(1, 100)
  ttsProvider = 'auto';

  @IsArray()
  @ArrayMaxSize(1000)
  @IsString({ each: true })
  @Length(1, 255, { each: true })
  boostedKeywords: string[] = [];

  @IsOptional()
  @ValidateNested()
  @Type(() => AdaptiveSpeechRateDto)
  adaptiveSpeechRate?: AdaptiveSpeechRateDto;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1000)
  @ValidateNested({ each: true })
  @Type(() => PronunciationRuleDto)
  pronunciationDictionary?: PronunciationRuleDto[];

  @IsArray()
  @ArrayMaxSize(200)
  @ValidateNested({ each: true })
  @Type(() => AnalysisItemDto)
  postCallAnalysisData: AnalysisItemDto[] = [];

  @IsString()
  @Length(1, 255)
  postCallAnalysisModel = 'gpt-5.4-mini';

  @IsOptional()
  @IsString()
  @Length(1, 2048)
  @Matches(/^https:\/\//)
  webhookUrl: string | null = null;

  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @Length(1, 100, { each: true })
  webhookEvents: string[] = ['call_started', 'call_ended', 'call_analyzed'];

  @IsIn(['everything', 'everything_except_pii', 'basic_attributes_only'])
  dataStorageSetting = 'everything';

  @IsOptional()
  @IsString()
  @Length(1, 255)
  startSkillId?: string;

  @IsOptional()
  @IsString()
  @MaxLength(200_000)
  agentGlobalPrompt?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(10_000)
  agentVariables?: object[];

  @IsOptional()
  agentSettings?: object;
}

export class ListQueryDto {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;

  @IsOptional()
  @IsString()
  @Length(1, 64)
  cursor?: string;
}
