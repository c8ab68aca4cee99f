import type { Language } from '../../language/language.tsx';
import type { FieldName, FieldRules, GroupName } from './fields.ts';

interface FieldText {
  readonly en: string;
  readonly ja: string;
  /** The Japanese description. The English one comes from the contract. */
  readonly meaning: string;
}

type PartName = `adaptiveSpeechRate.${string}` | `pronunciationDictionary.${string}` | `postCallAnalysisData.${string}`;

/** A contract field without texts is a compile error. */
const fieldTexts: Readonly<Record<FieldName, FieldText>> = {
  name: { en: 'Name', ja: '名前', meaning: 'エージェントの表示名です。重複しても構いません。' },
  language: { en: 'Language', ja: '言語', meaning: '会話で使用する言語です。BCP 47の言語タグで指定します。' },
  versionDescription: {
    en: 'Version description',
    ja: 'バージョンの説明',
    meaning: 'このバージョンでの変更内容です。',
  },
  voiceId: { en: 'Voice', ja: '音声', meaning: '使用する音声のIDです。プロバイダーが定めるIDを指定します。' },
  voiceModel: {
    en: 'Voice model',
    ja: '音声モデル',
    meaning: '音声のモデルです。未設定の場合は、プロバイダーのデフォルトを使用します。',
  },
  ttsProvider: {
    en: 'Voice provider',
    ja: '音声プロバイダー',
    meaning: '音声合成のプロバイダーです。autoの場合は、サービスの設定に従います。',
  },
  fallbackVoiceIds: {
    en: 'Fallback voices',
    ja: '代替の音声',
    meaning: '指定した音声が使えない場合に、上から順に使用する音声です。',
  },
  voiceSpeed: { en: 'Speed', ja: '話す速さ', meaning: '話す速さです。標準は1です。' },
  voiceTemperature: {
    en: 'Variation',
    ja: '声の抑揚',
    meaning: '声の変化の度合いです。0で一定、2で最も表情豊かになります。',
  },
  volume: { en: 'Volume', ja: '音量', meaning: '声の大きさです。標準は1です。' },
  voiceEmotion: { en: 'Emotion', ja: '感情', meaning: '声に込める感情です。未設定の場合はニュートラルになります。' },
  enableDynamicVoiceSpeed: {
    en: 'Dynamic speed',
    ja: '話速の動的調整',
    meaning: '話す内容に応じて、話す速さを調整します。',
  },
  adaptiveSpeechRate: {
    en: 'Adaptive speech rate',
    ja: '話速の自動調整',
    meaning: '発信者の話す速さに合わせて、話す速さを調整します。',
  },
  pronunciationDictionary: {
    en: 'Pronunciations',
    ja: '発音辞書',
    meaning:
      '読み方のルールです。上から順に適用されます。正規表現は100件まで、合計0.1秒以内にコンパイルできるものに限ります。',
  },
  beginMessage: {
    en: 'First message',
    ja: '最初のメッセージ',
    meaning: 'エージェントが最初に話す内容です。モデルに生成させることも、発信者が話すのを待つこともできます。',
  },
  beginMessageDelayMs: {
    en: 'First message delay',
    ja: '最初のメッセージまでの待ち時間',
    meaning: '最初のメッセージを話すまでの時間（ミリ秒）です。',
  },
  responsiveness: {
    en: 'Responsiveness',
    ja: '応答の速さ',
    meaning: '応答までの速さです。1にすると、すぐに応答します。',
  },
  interruptionSensitivity: {
    en: 'Interruption sensitivity',
    ja: '割り込みの感度',
    meaning: '発信者の割り込みに対する感度です。0にすると、割り込みを受け付けません。',
  },
  enableBackchannel: { en: 'Backchannel', ja: '相づち', meaning: '発信者の話を聞いている間、相づちを打ちます。' },
  backchannelFrequency: {
    en: 'Backchannel frequency',
    ja: '相づちの頻度',
    meaning: '相づちを打つ頻度です。1にすると、可能な限り相づちを打ちます。',
  },
  backchannelWords: {
    en: 'Backchannel words',
    ja: '相づちの言葉',
    meaning: '相づちに使用する言葉です。未設定の場合は、言語に応じた一般的な相づちを使用します。',
  },
  reminderTriggerMs: {
    en: 'Reminder delay',
    ja: '呼びかけまでの時間',
    meaning: '発信者の無言がこの時間（ミリ秒）続くと、エージェントが呼びかけます。',
  },
  reminderMaxCount: {
    en: 'Maximum reminders',
    ja: '呼びかけの上限回数',
    meaning: '呼びかける回数の上限です。0にすると、呼びかけません。',
  },
  endCallAfterSilenceMs: {
    en: 'Hang up after silence',
    ja: '無言時の切断',
    meaning: '無言の状態がこの時間（ミリ秒）続くと、通話を終了します。',
  },
  maxCallDurationMs: {
    en: 'Maximum call duration',
    ja: '最大通話時間',
    meaning: '通話時間の上限（ミリ秒）です。',
  },
  sttMode: { en: 'Mode', ja: 'モード', meaning: '音声認識で、速度と精度のどちらを優先するかを指定します。' },
  sttProvider: {
    en: 'Provider',
    ja: 'プロバイダー',
    meaning: '音声認識のプロバイダーです。autoの場合は、サービスの設定に従います。',
  },
  boostedKeywords: { en: 'Keywords', ja: 'キーワード', meaning: '音声認識で優先して認識させたい言葉です。' },
  'responseEngine.type': {
    en: 'Engine',
    ja: 'エンジン',
    meaning: '応答を生成する方式です。単一プロンプト、会話フロー、WebSocketで接続するカスタムLLMから選択します。',
  },
  'responseEngine.model': { en: 'Model', ja: 'モデル', meaning: '使用する言語モデルです。' },
  'responseEngine.prompt': { en: 'Prompt', ja: 'プロンプト', meaning: 'モデルへの指示です。' },
  'responseEngine.llmWebsocketUrl': {
    en: 'WebSocket URL',
    ja: 'WebSocket URL',
    meaning: 'カスタムLLMの接続先です。ws:// または wss:// で始まるURLを指定します。',
  },
  startSkillId: { en: 'First step', ja: '最初のステップ', meaning: '会話フローを開始するステップです。' },
  agentGlobalPrompt: {
    en: 'Global prompt',
    ja: '共通プロンプト',
    meaning: '会話フローの全ステップに適用される指示です。',
  },
  agentVariables: { en: 'Variables', ja: '変数', meaning: '会話フローで使用する変数です。形式は自由です。' },
  postCallAnalysisModel: { en: 'Model', ja: 'モデル', meaning: '通話を分析する言語モデルです。' },
  postCallAnalysisData: {
    en: 'Analysis fields',
    ja: '分析項目',
    meaning: '通話の終了後に、通話内容から抽出する項目です。',
  },
  webhookUrl: {
    en: 'URL',
    ja: '送信先URL',
    meaning:
      '通話イベントの送信先です。https:// で始まるURLを指定します（http:// はループバックアドレスのみ）。未設定の場合は送信しません。',
  },
  webhookEvents: { en: 'Events', ja: 'イベント', meaning: '送信するイベントです。' },
  dataStorageSetting: { en: 'Data storage', ja: '保存するデータ', meaning: '通話データのうち、保存する範囲です。' },
  agentSettings: { en: 'Additional settings', ja: 'その他の設定', meaning: 'その他の設定です。形式は自由です。' },
};

const partTexts: Readonly<Record<PartName, FieldText>> = {
  'adaptiveSpeechRate.enabled': {
    en: 'Adapt to the caller',
    ja: '発信者に合わせる',
    meaning: '発信者に合わせて、話す速さを調整します。',
  },
  'adaptiveSpeechRate.minSpeed': {
    en: 'Minimum speed',
    ja: '最低速度',
    meaning: '最も遅いときの速さです。標準は1です。',
  },
  'adaptiveSpeechRate.maxSpeed': {
    en: 'Maximum speed',
    ja: '最高速度',
    meaning: '最も速いときの速さです。標準は1です。',
  },
  'adaptiveSpeechRate.windowSize': {
    en: 'Turns to average',
    ja: '参照する発話数',
    meaning: '話す速さの計測に使用する、発信者の直近の発話数です。',
  },
  'adaptiveSpeechRate.speedRatio': {
    en: 'Ratio to the caller',
    ja: '発信者に対する比率',
    meaning: '発信者の話す速さに対する、エージェントの話す速さの倍率です。',
  },
  'pronunciationDictionary.find': { en: 'Text', ja: '対象の文字列', meaning: '置き換える文字列です。' },
  'pronunciationDictionary.replace': { en: 'Spoken as', ja: '読み', meaning: '代わりに読み上げる文字列です。' },
  'pronunciationDictionary.isRegex': {
    en: 'Regular expression',
    ja: '正規表現',
    meaning: '対象の文字列を正規表現（RE2の構文）として扱います。',
  },
  'postCallAnalysisData.name': { en: 'Name', ja: '名前', meaning: '項目の名前です。' },
  'postCallAnalysisData.type': { en: 'Type', ja: 'タイプ', meaning: '項目のデータ型です。' },
  'postCallAnalysisData.description': { en: 'Description', ja: '説明', meaning: 'モデルに抽出させる内容の説明です。' },
  'postCallAnalysisData.options': { en: 'Options', ja: '選択肢', meaning: 'タイプが「選択肢」の場合に選べる値です。' },
};

const groupTexts: Readonly<Record<GroupName, { readonly en: string; readonly ja: string }>> = {
  basics: { en: 'Basics', ja: '基本' },
  voice: { en: 'Voice', ja: '音声' },
  conversation: { en: 'Conversation', ja: '会話' },
  recognition: { en: 'Speech recognition', ja: '音声認識' },
  engine: { en: 'Engine and prompt', ja: 'エンジンとプロンプト' },
  analysis: { en: 'Analysis', ja: '分析' },
  webhooks: { en: 'Webhooks', ja: 'Webhook' },
  data: { en: 'Data', ja: 'データ' },
};

/** Keyed by value, because each value is used by one field only. Unknown values are shown as they are. */
const optionTexts: Readonly<Record<string, { readonly en: string; readonly ja: string }>> = {
  single_prompt: { en: 'Single prompt', ja: '単一プロンプト' },
  conversation_flow: { en: 'Conversation flow', ja: '会話フロー' },
  custom_llm: { en: 'Custom LLM', ja: 'カスタムLLM' },
  calm: { en: 'Calm', ja: '落ち着いた' },
  sympathetic: { en: 'Sympathetic', ja: '思いやりのある' },
  happy: { en: 'Happy', ja: 'うれしい' },
  sad: { en: 'Sad', ja: '悲しい' },
  angry: { en: 'Angry', ja: '怒った' },
  fearful: { en: 'Fearful', ja: '怖がった' },
  surprised: { en: 'Surprised', ja: '驚いた' },
  fast: { en: 'Fast', ja: '速度優先' },
  accurate: { en: 'Accurate', ja: '精度優先' },
  everything: { en: 'Everything', ja: 'すべて' },
  everything_except_pii: { en: 'Everything except personal data', ja: '個人情報を除くすべて' },
  basic_attributes_only: { en: 'Basic attributes only', ja: '基本属性のみ' },
  string: { en: 'Text', ja: 'テキスト' },
  enum: { en: 'Choice', ja: '選択肢' },
  boolean: { en: 'Yes/no', ja: 'はい／いいえ' },
  number: { en: 'Number', ja: '数値' },
};

function textOf(path: string): FieldText | undefined {
  // `pronunciationDictionary.3.find` has the same label as `pronunciationDictionary.find`.
  const name = path.replace(/\.\d+(?=\.|$)/g, '');
  return fieldTexts[name as FieldName] ?? partTexts[name as PartName];
}

export function labelOf(path: string, language: Language): string {
  return textOf(path)?.[language] ?? path;
}

export function meaningOf(path: string, rules: FieldRules, language: Language): string {
  // Backticks from the API documentation do not belong in a form.
  return (language === 'en' ? rules.description : (textOf(path)?.meaning ?? rules.description)).replaceAll('`', '');
}

export function groupLabel(group: GroupName, language: Language): string {
  return groupTexts[group][language];
}

export function optionLabel(value: string, language: Language): string {
  return optionTexts[value]?.[language] ?? value;
}
