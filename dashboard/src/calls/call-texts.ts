import { inBothLanguages } from '../language/texts.ts';
import type { CallStatus, CallType, EndReason, NotAppliedReason } from './call.ts';

/** The words for a call that several places share. */
export const callTexts = inBothLanguages(
  {
    caller: 'Caller',
    agent: 'Agent',
    draft: 'Draft',
    interrupted: 'Interrupted',
    notHeard: 'Not heard by the caller:',
    replyTime: (time: string) => `Replied in ${time}`,
    toolCalled: (name: string) => `Tool ${name}`,
    toolRunning: (name: string) => `Calling the tool ${name}…`,
    toolFailed: 'failed',
    toolExample: 'example result',
    toolArguments: 'Sent',
    toolResult: 'Received',
    toolNoResult: 'No result yet.',
    sourceReminder: 'Reminder after silence',
    sourceWaiting: 'While waiting',
    sourceFallback: 'Fallback after a failed reply',
    sourceControl: 'Requested through the API',
    version: (version: string) => `v${version}`,
    playFrom: (time: string) => `Play from ${time}`,
    dialing: 'Dialing',
    phoneInbound: 'Phone, inbound',
    phoneOutbound: 'Phone, outbound',
  },
  {
    caller: '発信者',
    agent: 'エージェント',
    draft: '下書き',
    interrupted: '割り込み',
    notHeard: '発信者に届かなかった部分：',
    replyTime: (time) => `${time}で返答`,
    toolCalled: (name) => `ツール：${name}`,
    toolRunning: (name) => `ツール「${name}」を呼び出しています…`,
    toolFailed: '失敗',
    toolExample: '結果の例',
    toolArguments: '送信内容',
    toolResult: '受信内容',
    toolNoResult: '結果はまだありません。',
    sourceReminder: '無言のあとの声かけ',
    sourceWaiting: '待ち時間の案内',
    sourceFallback: '返答に失敗したときの案内',
    sourceControl: 'APIからの指示による発言',
    version: (version) => `v${version}`,
    playFrom: (time) => `${time}から再生`,
    dialing: '発信中',
    phoneInbound: '電話（着信）',
    phoneOutbound: '電話（発信）',
  },
);

export const statusTexts = inBothLanguages<Record<CallStatus, string>>(
  {
    queued: 'Queued',
    registered: 'Waiting for caller',
    ringing: 'Ringing',
    ongoing: 'Ongoing',
    ended: 'Ended',
    not_connected: 'Not connected',
    error: 'Failed',
  },
  {
    queued: '順番待ち',
    registered: '接続待ち',
    ringing: '呼び出し中',
    ongoing: '通話中',
    ended: '終了',
    not_connected: '未接続',
    error: 'エラー',
  },
);

export const typeTexts = inBothLanguages<Record<CallType, string>>(
  { chat: 'Chat', web: 'Web call', phone: 'Phone' },
  { chat: 'チャット', web: 'Web通話', phone: '電話' },
);

/** Why a call ended, short enough for a table. */
export const endReasonTexts = inBothLanguages<Record<EndReason, string>>(
  {
    caller_hangup: 'Caller hung up',
    agent_hangup: 'Agent hung up',
    api_end: 'Ended on request',
    silence_timeout: 'Silence for too long',
    max_duration: 'Maximum duration reached',
    caller_disconnected: 'Caller disconnected',
    voicemail: 'Reached voicemail',
    transferred: 'Transferred',
    not_joined: 'Nobody joined',
    canceled: 'Canceled',
    expired: 'Waited too long in the queue',
    concurrency_limit: 'Too many calls at once',
    dial_busy: 'Busy',
    dial_no_answer: 'No answer',
    dial_declined: 'Declined',
    dial_failed: 'Could not be dialed',
    invalid_destination: 'Invalid phone number',
    destination_not_allowed: 'Phone number not allowed',
    rejected: 'Rejected',
    llm_connect_failed: 'Your model server could not be reached',
    llm_failed: 'Language model failed',
    stt_failed: 'Speech recognition failed',
    tts_failed: 'Voice failed',
    media_failed: 'Audio connection failed',
    server_restart: 'Service was restarted',
    internal_error: 'Error in the service',
    carrier_failed: 'Phone network failed',
  },
  {
    caller_hangup: '発信者が終了',
    agent_hangup: 'エージェントが終了',
    api_end: '操作により終了',
    silence_timeout: '無言が続いたため終了',
    max_duration: '最長時間に到達',
    caller_disconnected: '発信者との接続が切断',
    voicemail: '留守番電話に接続',
    transferred: '転送',
    not_joined: '参加者なし',
    canceled: 'キャンセル',
    expired: '順番待ちの時間切れ',
    concurrency_limit: '同時通話数の上限',
    dial_busy: '話し中',
    dial_no_answer: '応答なし',
    dial_declined: '着信拒否',
    dial_failed: '発信に失敗',
    invalid_destination: '電話番号が無効',
    destination_not_allowed: '許可されていない電話番号',
    rejected: '拒否',
    llm_connect_failed: 'モデルのサーバーへの接続エラー',
    llm_failed: '言語モデルのエラー',
    stt_failed: '音声認識のエラー',
    tts_failed: '音声合成のエラー',
    media_failed: '音声接続のエラー',
    server_restart: 'サービスの再起動',
    internal_error: 'サービスのエラー',
    carrier_failed: '電話網のエラー',
  },
);

/** Why a setting of the agent had no effect. */
export const notAppliedTexts = inBothLanguages<Record<NotAppliedReason, string>>(
  {
    not_supported: 'This kind of call, or its provider, does not support this setting. Its default was used instead.',
    clamped: 'The value was outside the range that the provider accepts. The nearest allowed value was used.',
    provider_not_configured:
      'No provider for this is connected to the service. A built-in alternative was used if there is one.',
    data_storage_setting: 'The storage setting of the agent does not allow it.',
    not_understood: 'The value could not be understood. The default was used instead.',
  },
  {
    not_supported: 'この種類の通話、またはプロバイダーが、この設定に対応していません。代わりに既定値を使いました。',
    clamped: 'プロバイダーで使える範囲を超えていたため、最も近い値を使いました。',
    provider_not_configured:
      'この機能のプロバイダーがサービスに接続されていません。サービスに組み込まれた機能があれば、代わりに使いました。',
    data_storage_setting: 'エージェントのデータ保存設定では許可されていません。',
    not_understood: '値を解釈できませんでした。代わりに既定値を使いました。',
  },
);

/** The same for what the replies of the agent come from, where the general words would say too little. */
export const notAppliedEngineTexts = inBothLanguages<Partial<Record<NotAppliedReason, string>>>(
  {
    provider_not_configured: 'No language model is connected to the service, so the agent repeats what it hears.',
  },
  {
    provider_not_configured: '言語モデルがサービスに接続されていないため、エージェントは聞こえた内容を繰り返します。',
  },
);

/** The sentences that name what was used instead. */
export const notAppliedUsedTexts = inBothLanguages(
  {
    voice: (used: string) => `The requested voice is not available: “${used}” was used instead.`,
    voiceOf: (provider: string) =>
      `The requested voice is not available: the standard voice of “${provider}” was used instead.`,
    voiceUnknown: 'The requested voice is not available: the standard voice of the provider was used instead.',
    clamped: (used: string) => `The value was outside the range that the provider accepts: ${used} was used instead.`,
    other: (used: string) =>
      `This kind of call, or its provider, does not support this setting: ${used} was used instead.`,
    chooseVoice: 'Choose a voice',
  },
  {
    voice: (used) => `指定された音声は利用できないため、代わりに「${used}」を使いました。`,
    voiceOf: (provider) => `指定された音声は利用できないため、代わりに「${provider}」の標準の音声を使いました。`,
    voiceUnknown: '指定された音声は利用できないため、代わりにプロバイダーの標準の音声を使いました。',
    clamped: (used) => `プロバイダーで使える範囲を超えていたため、代わりに${used}を使いました。`,
    other: (used) => `この種類の通話、またはプロバイダーがこの設定に対応していないため、代わりに${used}を使いました。`,
    chooseVoice: '音声を選ぶ',
  },
);
