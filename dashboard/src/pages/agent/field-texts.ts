import type { Language } from '../../language/language.tsx';
import type { FieldName, FieldRules, GroupName } from './fields.ts';

interface FieldText {
  readonly en: string;
  readonly ja: string;
  /** The Japanese description. */
  readonly meaning: string;
  /** The English one, if that of the contract is not meant for a form. */
  readonly help?: string;
}

type PartName =
  | `adaptiveSpeechRate.${string}`
  | `agentSettings.${string}`
  | `pronunciationDictionary.${string}`
  | `postCallAnalysisData.${string}`;

/** A contract field without texts is a compile error. */
const fieldTexts: Readonly<Record<FieldName, FieldText>> = {
  name: {
    en: 'Name',
    ja: '名前',
    meaning: '一覧と監査ログに表示されます。',
    help: 'Shown in lists and in the audit log.',
  },
  language: {
    en: 'Language',
    ja: '言語',
    meaning: '発信者とエージェントが話す言語です。',
    help: 'The language that the caller and the agent speak.',
  },
  versionDescription: {
    en: 'Version description',
    ja: 'バージョンの説明',
    meaning: 'このバージョンでの変更内容です。',
  },
  voiceId: {
    en: 'Voice',
    ja: '音声',
    meaning: '一覧から選ぶか、プロバイダーの音声IDを入力します。',
    help: 'Choose one from the list, or enter a voice id of your provider.',
  },
  voiceModel: {
    en: 'Voice model',
    ja: '音声モデル',
    meaning: '空欄の場合は、プロバイダーの標準モデルを使います。',
    help: 'Leave empty to use the provider’s default.',
  },
  ttsProvider: {
    en: 'Voice provider',
    ja: '音声プロバイダー',
    meaning: '「auto」の場合は、接続済みのものから選ばれます。',
    help: 'auto: the first provider that is connected.',
  },
  fallbackVoiceIds: {
    en: 'Fallback voices',
    ja: '代替の音声',
    meaning: 'メインの音声が使えないときに、上から順に使います。',
    help: 'Used in this order if the voice above is not available.',
  },
  voiceSpeed: { en: 'Speed', ja: '話す速さ', meaning: '1が標準です。', help: '1 is the normal speed of the voice.' },
  voiceTemperature: {
    en: 'Variation',
    ja: '声の抑揚',
    meaning: '0で一定、2で最も表情豊かになります。',
    help: 'From 0 (always the same) to 2 (most expressive).',
  },
  volume: { en: 'Volume', ja: '音量', meaning: '1が標準です。', help: '1 is the normal volume of the voice.' },
  voiceEmotion: {
    en: 'Emotion',
    ja: '感情',
    meaning: '対応している音声でのみ有効です。',
    help: 'For voices that support it.',
  },
  enableDynamicVoiceSpeed: {
    en: 'Dynamic speed',
    ja: '内容に応じた話速',
    meaning: '話す内容に応じて、話す速さを調整します。',
    help: 'Speaks faster or slower depending on what is said.',
  },
  adaptiveSpeechRate: {
    en: 'Adaptive speech rate',
    ja: '話速の自動調整',
    meaning: '発信者の話す速さに合わせます。',
    help: 'Speaks as fast as the caller does, within limits.',
  },
  pronunciationDictionary: {
    en: 'Pronunciations',
    ja: '発音辞書',
    meaning: '言葉の読み方です。上から順に適用されます。正規表現は100件まで使えます。',
    help: 'How words are spoken. Rules apply from top to bottom; up to 100 may be regular expressions.',
  },
  beginMessage: {
    en: 'First message',
    ja: '最初のメッセージ',
    meaning: '通話の最初にエージェントが話す内容です。',
    help: 'What the agent says at the start of a call.',
  },
  beginMessageDelayMs: {
    en: 'First message delay',
    ja: '最初のメッセージまでの待ち時間',
    meaning: '最初のメッセージを話すまでの時間です。',
    help: 'How long the agent waits before it speaks.',
  },
  responsiveness: {
    en: 'Responsiveness',
    ja: '応答の速さ',
    meaning: '小さくすると、発信者の言葉をより長く待ってから応答します。',
    help: 'With lower values, the agent waits longer for the caller to continue before it replies.',
  },
  interruptionSensitivity: {
    en: 'Interruption sensitivity',
    ja: '割り込みの感度',
    meaning: '0にすると、発信者はエージェントの話を遮れません。',
    help: 'How easily the caller can interrupt the agent. 0: never.',
  },
  enableBackchannel: {
    en: 'Backchannel',
    ja: '相づち',
    meaning: '発信者の話を聞いている間に「はい」などと相づちを打ちます。',
    help: 'Says short words such as “uh-huh” while it listens.',
  },
  backchannelFrequency: {
    en: 'Backchannel frequency',
    ja: '相づちの頻度',
    meaning: '1にすると、機会があるたびに相づちを打ちます。',
    help: '1: at every opportunity.',
  },
  backchannelWords: {
    en: 'Backchannel words',
    ja: '相づちの言葉',
    meaning: '空欄の場合は、その言語で一般的な相づちを使います。',
    help: 'Leave empty to use common words of the language.',
  },
  reminderTriggerMs: {
    en: 'Reminder delay',
    ja: '呼びかけまでの時間',
    meaning: '発信者の無言がこの時間続くと、エージェントが呼びかけます。',
    help: 'How long the caller may be silent before the agent asks again.',
  },
  reminderMaxCount: {
    en: 'Maximum reminders',
    ja: '呼びかけの上限回数',
    meaning: '0にすると、呼びかけません。',
    help: 'How many times the agent asks again. 0: never.',
  },
  endCallAfterSilenceMs: {
    en: 'Hang up after silence',
    ja: '無言時の切断',
    meaning: '無言の状態がこの時間続くと、通話を終了します。',
    help: 'The call ends after a silence of this length.',
  },
  maxCallDurationMs: {
    en: 'Maximum call duration',
    ja: '最大通話時間',
    meaning: 'この時間が経つと、通話を終了します。',
    help: 'The call ends after this time in any case.',
  },
  sttMode: {
    en: 'Mode',
    ja: 'モード',
    meaning: '速度と精度のどちらを優先するかを選びます。',
    help: 'Fast replies sooner; accurate makes fewer mistakes.',
  },
  sttProvider: {
    en: 'Provider',
    ja: 'プロバイダー',
    meaning: '「auto」の場合は、接続済みのものから選ばれます。「browser」にすると、発信者のブラウザが認識します。',
    help: 'auto: the first provider that is connected. browser: the caller’s browser recognizes the speech.',
  },
  boostedKeywords: {
    en: 'Keywords',
    ja: 'キーワード',
    meaning: '商品名や人名など、正しく聞き取りたい言葉です。',
    help: 'Names and terms that speech recognition should expect.',
  },
  'responseEngine.type': {
    en: 'Engine',
    ja: 'エンジン',
    meaning: 'モデルへの指示、決まった手順、または自社のサーバーから選びます。',
    help: 'Instructions for a model, a flow of steps, or your own server.',
  },
  'responseEngine.model': {
    en: 'Model',
    ja: 'モデル',
    meaning: '接続されている言語モデルの名前です。',
    help: 'The name of a language model of the connected provider.',
  },
  'responseEngine.prompt': {
    en: 'Prompt',
    ja: 'プロンプト',
    meaning: 'エージェントの役割、話し方、できること、できないことを書きます。{{名前}} は変数に置き換わります。',
    help: 'Who the agent is, how it speaks, what it can and cannot do. {{name}} is replaced by a variable.',
  },
  'responseEngine.llmWebsocketUrl': {
    en: 'WebSocket URL',
    ja: 'WebSocket URL',
    meaning: '応答するサーバーのアドレスです。ws:// または wss:// で始まります。',
    help: 'The address of your server, starting with ws:// or wss://.',
  },
  startSkillId: {
    en: 'First step',
    ja: '最初のステップ',
    meaning: '空欄の場合は、一覧の先頭から始まります。',
    help: 'Leave empty to start with the first one in the list.',
  },
  agentGlobalPrompt: {
    en: 'Global prompt',
    ja: '共通プロンプト',
    meaning: 'モデルが応答するすべてのステップに適用される指示です。',
    help: 'Instructions for every step in which the model replies.',
  },
  agentVariables: {
    en: 'Variables',
    ja: '変数',
    meaning: '文中の {{名前}} に入る値です。既定値は通話の作成時に上書きできます。例は「試す」で使われます。',
    help: 'Values for {{name}} in texts. A call can override the default; “Try” starts with the example.',
  },
  postCallAnalysisModel: {
    en: 'Model',
    ja: 'モデル',
    meaning: '通話の終了後に分析する言語モデルです。',
    help: 'The language model that reads the transcript after a call.',
  },
  postCallAnalysisData: {
    en: 'Analysis fields',
    ja: '分析項目',
    meaning: '通話の終了後に、会話から読み取る値です。',
    help: 'Values that are read from the transcript after a call.',
  },
  webhookUrl: {
    en: 'URL',
    ja: '送信先URL',
    meaning: '通話イベントの送信先です。空欄の場合は送信しません。https:// で始まります（http:// はlocalhostのみ）。',
    help: 'Where call events are sent. Leave empty to send none. It starts with https:// (http:// for localhost only).',
  },
  webhookEvents: { en: 'Events', ja: 'イベント', meaning: '送信するイベントです。' },
  dataStorageSetting: {
    en: 'Data storage',
    ja: '保存するデータ',
    meaning: '通話のうち、何を保存するかを選びます。',
    help: 'What the service stores about each call.',
  },
  agentSettings: {
    en: 'Additional settings',
    ja: 'その他の設定',
    meaning: 'フロー、ツール、録音などの設定です（JSON）。',
    help: 'Flow, tools, recording and more, as JSON.',
  },
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
  'agentSettings.flow': {
    en: 'Flow',
    ja: 'フロー',
    meaning: 'エージェントが話すこと、尋ねること、次に進む先です。',
  },
  'agentSettings.calls.recordingEnabled': {
    en: 'Recording',
    ja: '録音',
    meaning: '音声通話を録音するかどうかです。',
  },
  'agentSettings.knowledge.mode': {
    en: 'Knowledge: how it is used',
    ja: 'ナレッジの使い方',
    meaning: 'ナレッジ全体を使うか、質問ごとに検索するかです。',
  },
  'agentSettings.llm.fallbackModels': {
    en: 'Fallback models',
    ja: '予備のモデル',
    meaning: 'モデルに接続できないときに使うモデルです。',
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
  advanced: { en: 'Advanced', ja: '詳細設定' },
  voice: { en: 'Voice', ja: '音声' },
  conversation: { en: 'Conversation', ja: '会話の進め方' },
  recognition: { en: 'Speech recognition', ja: '音声認識' },
  engine: { en: 'Prompt and model', ja: 'プロンプトとモデル' },
  analysis: { en: 'Analysis', ja: '分析' },
  webhooks: { en: 'Webhooks', ja: 'Webhook' },
  data: { en: 'Stored data', ja: 'データの保存' },
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
  const text = textOf(path);
  const shown = language === 'en' ? text?.help : text?.meaning;
  return (shown ?? rules.description).replaceAll('`', '');
}

export function groupLabel(group: GroupName, language: Language): string {
  return groupTexts[group][language];
}

export function optionLabel(value: string, language: Language): string {
  return optionTexts[value]?.[language] ?? value;
}
