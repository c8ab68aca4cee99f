import type { Language } from '../../language/language.tsx';
import type { FieldName, FieldRules, GroupName } from './fields.ts';

interface FieldText {
  readonly en: string;
  readonly ja: string;
  /** In English the contract itself says it. */
  readonly meaning: string;
}

type PartName = `adaptiveSpeechRate.${string}` | `pronunciationDictionary.${string}` | `postCallAnalysisData.${string}`;

/** A field of the contract without a text here does not compile. */
const fieldTexts: Readonly<Record<FieldName, FieldText>> = {
  name: { en: 'Name', ja: '名前', meaning: 'エージェントの呼び名です。ほかと重複してもかまいません。' },
  language: { en: 'Language', ja: '言語', meaning: '会話の言語を BCP 47 の言語タグで指定します。' },
  versionDescription: {
    en: 'Version description',
    ja: 'バージョンの説明',
    meaning: 'このバージョンの内容の説明です。',
  },
  voiceId: { en: 'Voice', ja: '音声', meaning: '話す声を、プロバイダーが付けた ID で指定します。' },
  voiceModel: {
    en: 'Voice model',
    ja: '音声モデル',
    meaning: '音声のモデルです。未設定の場合はプロバイダーが選びます。',
  },
  ttsProvider: {
    en: 'Voice provider',
    ja: '音声プロバイダー',
    meaning: '音声合成のプロバイダーです。auto の場合はサービスに設定されたものを使います。',
  },
  fallbackVoiceIds: {
    en: 'Fallback voices',
    ja: '代替の音声',
    meaning: '最初の音声が使えないときに、この順で使う音声です。',
  },
  voiceSpeed: { en: 'Speed', ja: '話す速さ', meaning: '声の速さです。1 が標準です。' },
  voiceTemperature: {
    en: 'Variation',
    ja: '声の揺らぎ',
    meaning: '声の変化の大きさです。0 は一定、2 は表情豊かになります。',
  },
  volume: { en: 'Volume', ja: '音量', meaning: '声の大きさです。1 が標準です。' },
  voiceEmotion: { en: 'Emotion', ja: '感情', meaning: '声の感情です。未設定の場合はニュートラルです。' },
  enableDynamicVoiceSpeed: {
    en: 'Dynamic speed',
    ja: '動的な速さ',
    meaning: '話す内容に合わせて速さを変えるかどうかです。',
  },
  adaptiveSpeechRate: {
    en: 'Adaptive speech rate',
    ja: '話速の自動調整',
    meaning: '相手の話す速さへの合わせ方です。',
  },
  pronunciationDictionary: {
    en: 'Pronunciations',
    ja: '発音辞書',
    meaning:
      '語の読み方を、上から順に適用する規則で指定します。正規表現は 100 件まで、コンパイルが合計 0.1 秒で終わる大きさに限られます。',
  },
  beginMessage: {
    en: 'First sentence',
    ja: '最初の発話',
    meaning: 'エージェントの最初の発話です。モデルに任せることも、相手が話すのを待つこともできます。',
  },
  beginMessageDelayMs: {
    en: 'Delay of the first sentence',
    ja: '最初の発話までの待ち時間',
    meaning: '最初の発話まで待つ時間です（ミリ秒）。',
  },
  responsiveness: { en: 'Responsiveness', ja: '応答の早さ', meaning: '返答の早さです。1 はすぐに返答します。' },
  interruptionSensitivity: {
    en: 'Interruption sensitivity',
    ja: '割り込みへの感度',
    meaning: '相手の割り込みの受け入れやすさです。0 は割り込みを受け入れません。',
  },
  enableBackchannel: { en: 'Backchannel', ja: '相づち', meaning: '聞いている間に相づちを打つかどうかです。' },
  backchannelFrequency: {
    en: 'Backchannel frequency',
    ja: '相づちの頻度',
    meaning: '相づちの頻度です。1 は打てるときに必ず打ちます。',
  },
  backchannelWords: {
    en: 'Backchannel words',
    ja: '相づちの言葉',
    meaning: '相づちに使う言葉です。空の場合は言語で一般的なものを使います。',
  },
  reminderTriggerMs: {
    en: 'Ask again after',
    ja: '聞き直すまでの沈黙',
    meaning: '相手の沈黙がこの時間（ミリ秒）続くと、聞き直します。',
  },
  reminderMaxCount: {
    en: 'Ask again at most',
    ja: '聞き直す回数の上限',
    meaning: '聞き直す回数です。0 は聞き直しません。',
  },
  endCallAfterSilenceMs: {
    en: 'Hang up after silence',
    ja: '沈黙による切断',
    meaning: '沈黙がこの時間（ミリ秒）続くと、通話を切ります。',
  },
  maxCallDurationMs: {
    en: 'Longest call',
    ja: '通話時間の上限',
    meaning: '通話はこの時間（ミリ秒）で終わります。',
  },
  sttMode: { en: 'Mode', ja: 'モード', meaning: '音声認識で速さと正確さのどちらを優先するかです。' },
  sttProvider: {
    en: 'Provider',
    ja: 'プロバイダー',
    meaning: '音声認識のプロバイダーです。auto の場合はサービスに設定されたものを使います。',
  },
  boostedKeywords: { en: 'Keywords', ja: 'キーワード', meaning: '音声認識で出てきやすい言葉として扱う語です。' },
  'responseEngine.type': {
    en: 'Engine',
    ja: 'エンジン',
    meaning:
      'エージェントの発話を決める仕組みです。単一のプロンプト、会話フロー、WebSocket でつなぐ独自のモデルから選びます。',
  },
  'responseEngine.model': { en: 'Model', ja: 'モデル', meaning: '言語モデルです。' },
  'responseEngine.prompt': { en: 'Prompt', ja: 'プロンプト', meaning: 'モデルへの指示です。' },
  'responseEngine.llmWebsocketUrl': {
    en: 'WebSocket address',
    ja: 'WebSocket のアドレス',
    meaning: 'custom_llm のエージェントが使うモデルの場所です。ws:// または wss:// で始まるアドレスを指定します。',
  },
  startSkillId: { en: 'First step', ja: '最初のステップ', meaning: '会話フローを始めるステップです。' },
  agentGlobalPrompt: {
    en: 'Global prompt',
    ja: '共通プロンプト',
    meaning: '会話フローのすべてのステップに適用する指示です。',
  },
  agentVariables: { en: 'Variables', ja: '変数', meaning: '会話フローの変数です。形は自由です。' },
  postCallAnalysisModel: { en: 'Model', ja: 'モデル', meaning: '通話を分析する言語モデルです。' },
  postCallAnalysisData: { en: 'Analysis fields', ja: '分析項目', meaning: '通話の終了後に調べる項目です。' },
  webhookUrl: {
    en: 'Address',
    ja: '送信先',
    meaning:
      '通話のイベントを送る https:// のアドレスです。http:// はループバックに限ります。未設定の場合は送信しません。',
  },
  webhookEvents: { en: 'Events', ja: 'イベント', meaning: '送信するイベントです。' },
  dataStorageSetting: { en: 'What is kept', ja: '保存する内容', meaning: '通話について何を保存するかです。' },
  agentSettings: { en: 'Further settings', ja: 'その他の設定', meaning: 'そのほかの設定です。形は自由です。' },
};

const partTexts: Readonly<Record<PartName, FieldText>> = {
  'adaptiveSpeechRate.enabled': {
    en: 'Adapt to the caller',
    ja: '相手に合わせる',
    meaning: '相手に合わせて速さを変えるかどうかです。',
  },
  'adaptiveSpeechRate.minSpeed': { en: 'Slowest', ja: '最も遅い速さ', meaning: '最も遅い速さです。1 が標準です。' },
  'adaptiveSpeechRate.maxSpeed': { en: 'Fastest', ja: '最も速い速さ', meaning: '最も速い速さです。1 が標準です。' },
  'adaptiveSpeechRate.windowSize': {
    en: 'Turns looked at',
    ja: '参照する発話数',
    meaning: '相手の直近何回の発話から速さを決めるかです。',
  },
  'adaptiveSpeechRate.speedRatio': {
    en: 'Ratio to the caller',
    ja: '相手に対する比率',
    meaning: '相手の速さに対するエージェントの速さの倍率です。',
  },
  'pronunciationDictionary.find': { en: 'Text', ja: '文字列', meaning: '文中の文字列です。' },
  'pronunciationDictionary.replace': { en: 'Spoken as', ja: '読み', meaning: '代わりに発音される文字列です。' },
  'pronunciationDictionary.isRegex': {
    en: 'Regular expression',
    ja: '正規表現',
    meaning: '文字列を正規表現（RE2 の構文）として扱うかどうかです。',
  },
  'postCallAnalysisData.name': { en: 'Name', ja: '名前', meaning: '項目の名前です。' },
  'postCallAnalysisData.type': { en: 'Type', ja: '型', meaning: '項目の型です。' },
  'postCallAnalysisData.description': { en: 'What to look for', ja: '調べる内容', meaning: 'モデルが調べる内容です。' },
  'postCallAnalysisData.options': { en: 'Values', ja: '選択肢', meaning: '型が enum のときに選ぶ値です。' },
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

/** By value, because each value is used in one place only. One without a name is shown as it is. */
const optionTexts: Readonly<Record<string, { readonly en: string; readonly ja: string }>> = {
  single_prompt: { en: 'Single prompt', ja: '単一のプロンプト' },
  conversation_flow: { en: 'Conversation flow', ja: '会話フロー' },
  custom_llm: { en: 'A model of your own', ja: '独自のモデル' },
  calm: { en: 'Calm', ja: '落ち着いた' },
  sympathetic: { en: 'Sympathetic', ja: '思いやりのある' },
  happy: { en: 'Happy', ja: 'うれしい' },
  sad: { en: 'Sad', ja: '悲しい' },
  angry: { en: 'Angry', ja: '怒った' },
  fearful: { en: 'Fearful', ja: '怖がった' },
  surprised: { en: 'Surprised', ja: '驚いた' },
  fast: { en: 'Fast', ja: '速さ優先' },
  accurate: { en: 'Accurate', ja: '正確さ優先' },
  everything: { en: 'Everything', ja: 'すべて' },
  everything_except_pii: { en: 'Everything except personal data', ja: '個人情報を除くすべて' },
  basic_attributes_only: { en: 'Basic attributes only', ja: '基本的な属性のみ' },
  string: { en: 'Text', ja: '文字列' },
  enum: { en: 'One of several values', ja: '選択肢' },
  boolean: { en: 'Yes or no', ja: '真偽値' },
  number: { en: 'Number', ja: '数値' },
};

function textOf(path: string): FieldText | undefined {
  // `pronunciationDictionary.3.find` is called as `pronunciationDictionary.find` is.
  const name = path.replace(/\.\d+(?=\.|$)/g, '');
  return fieldTexts[name as FieldName] ?? partTexts[name as PartName];
}

export function labelOf(path: string, language: Language): string {
  return textOf(path)?.[language] ?? path;
}

export function meaningOf(path: string, rules: FieldRules, language: Language): string {
  // The marks of code mean nothing to a person who fills in a form.
  return (language === 'en' ? rules.description : (textOf(path)?.meaning ?? rules.description)).replaceAll('`', '');
}

export function groupLabel(group: GroupName, language: Language): string {
  return groupTexts[group][language];
}

export function optionLabel(value: string, language: Language): string {
  return optionTexts[value]?.[language] ?? value;
}
