import type { WebCallErrorCode } from '../../../../sdk/src/web/index.ts';
import { inBothLanguages } from '../../language/texts.ts';

export const spokenTexts = inBothLanguages(
  {
    way: 'Way to talk',
    write: 'Chat',
    speak: 'Call',
    start: 'Start call',
    startTyping: 'Continue without a microphone',
    again: 'New call',
    hint: 'Talk to the agent with your microphone. You can also type.',
    recognitionHint:
      'This agent uses the speech recognition of your browser, which may send your voice to the maker of the browser.',
    joining: 'Connecting…',
    floorCaller: 'You are speaking',
    floorAgent: 'The agent is speaking',
    floorNone: 'Nobody is speaking',
    reconnecting: 'Connection lost. Reconnecting…',
    mute: 'Mute',
    unmute: 'Unmute',
    muted: 'Muted',
    levelCaller: 'Your microphone',
    levelAgent: 'Agent',
    endedHere: 'You ended the call.',
    endedBecause: (reason: string) => `The call has ended: ${reason}.`,
    endedPlain: 'The call has ended.',
    failedFull: 'Too many calls are going on at the moment. End one, or try again in a moment.',
    latency: (time: string) => `Last reply: ${time}`,
    recorded: 'This call is recorded.',
    noSpeechIn: (language: string) => `There is no speech recognition for ${language} on this service. You can:`,
    noSpeechInTyping: 'Type: the agent still replies by voice.',
    noSpeechInTypingOnly: 'Type, and read the replies.',
    noSpeechInBrowser:
      'Let your browser recognize what you say: set the provider of “Speech recognition” of the agent to browser.',
    addJapaneseModel: 'Add a model, as the operator: put SenseVoice or ReazonSpeech into the folder SPEECH_MODELS.',
    addProvider: 'The operator can configure a provider for it.',
    addCommand: 'The operator can add it with',
    noSpeechOut: (language: string) =>
      `There is no voice for ${language} on this service, so the replies appear as text only.`,
    unknownProvider: (name: string) =>
      `The agent uses the speech provider “${name}”, which is not configured on this service. Calls are refused until it is, or until the agent uses another.`,
  },
  {
    way: '会話の方法',
    write: 'チャット',
    speak: '通話',
    start: '通話を始める',
    startTyping: 'マイクなしで続ける',
    again: '新しい通話',
    hint: 'マイクでエージェントと会話します。文字でも入力できます。',
    recognitionHint:
      'このエージェントはブラウザの音声認識を使います。音声がブラウザの提供元へ送信されることがあります。',
    joining: '接続しています…',
    floorCaller: 'あなたが話しています',
    floorAgent: 'エージェントが話しています',
    floorNone: '誰も話していません',
    reconnecting: '接続が切れました。再接続しています…',
    mute: 'ミュート',
    unmute: 'ミュート解除',
    muted: 'ミュート中',
    levelCaller: 'マイク',
    levelAgent: 'エージェント',
    endedHere: '通話を終了しました。',
    endedBecause: (reason) => `通話は終了しました（${reason}）。`,
    endedPlain: '通話は終了しました。',
    failedFull: '同時に行える通話の上限に達しました。ほかの通話を終了するか、しばらくしてからお試しください。',
    latency: (time) => `直近の返答：${time}`,
    recorded: 'この通話は録音されています。',
    noSpeechIn: (language) => `このサービスには${language}の音声認識がありません。次の方法があります。`,
    noSpeechInTyping: '文字で入力する（エージェントは声で応答します）。',
    noSpeechInTypingOnly: '文字で入力し、返答を読む。',
    noSpeechInBrowser: 'エージェントの「音声認識」のプロバイダーをbrowserにして、ブラウザに認識させる。',
    addJapaneseModel:
      '運用担当者がモデルを追加する（SenseVoiceまたはReazonSpeechをSPEECH_MODELSのフォルダーに置きます）。',
    addProvider: '運用担当者がプロバイダーを設定できます。',
    addCommand: '運用担当者が次のコマンドで追加できます。',
    noSpeechOut: (language) => `このサービスには${language}の音声がないため、返答は文字だけで表示されます。`,
    unknownProvider: (name) =>
      `エージェントが使う音声プロバイダー「${name}」は、このサービスで設定されていません。設定するか、エージェントの設定を変更するまで通話できません。`,
  },
);

/** What to do about a failure of the browser, the page or the connection. */
export const spokenErrorTexts = inBothLanguages<Record<WebCallErrorCode, string>>(
  {
    microphone_denied:
      'The microphone is blocked. Allow it for this page in the settings of your browser, usually next to the address, and try again.',
    no_microphone: 'No microphone was found. Connect one and try again, or continue without.',
    microphone_failed: 'The microphone does not start. Close other programs that use it, and try again.',
    microphone_lost: 'The microphone is no longer available. You can go on by typing.',
    insecure_context: 'Browsers offer the microphone only over HTTPS, or at 127.0.0.1. Open the dashboard there.',
    not_supported: 'This browser cannot make calls. Please use a current version of Chrome, Edge, Firefox or Safari.',
    worklet_blocked: 'The audio processing could not be loaded. Reload the page and try again.',
    audio_suspended: 'The browser plays no sound yet. Click anywhere in the page.',
    connection_refused: 'The service did not accept the connection. A proxy in between must allow WebSockets.',
    connection_lost: 'The connection was lost and could not be resumed.',
    joined_elsewhere: 'The call goes on in another page.',
    protocol_error: 'The service closed the connection because of an error.',
    service_error: 'The service could not process that.',
    recognition_not_supported: 'This browser has no speech recognition. Use Chrome, Edge or Safari, or type.',
    recognition_failed: 'The speech recognition of the browser does not work at the moment. You can type.',
  },
  {
    microphone_denied:
      'マイクがブロックされています。ブラウザの設定（通常はアドレスの横）でこのページに許可してから、もう一度お試しください。',
    no_microphone: 'マイクが見つかりません。接続してもう一度試すか、マイクなしで続けてください。',
    microphone_failed: 'マイクを開始できません。マイクを使っているほかのアプリを閉じて、もう一度お試しください。',
    microphone_lost: 'マイクが使えなくなりました。文字で続けられます。',
    insecure_context:
      'ブラウザはHTTPSまたは127.0.0.1でのみマイクを使えます。そのアドレスでダッシュボードを開いてください。',
    not_supported: 'このブラウザでは通話できません。最新のChrome、Edge、Firefox、Safariをお使いください。',
    worklet_blocked: '音声処理を読み込めませんでした。ページを再読み込みしてお試しください。',
    audio_suspended: 'ブラウザがまだ音声を再生していません。ページ内をクリックしてください。',
    connection_refused: 'サービスに接続できませんでした。途中のプロキシがWebSocketを許可している必要があります。',
    connection_lost: '接続が切れ、再開できませんでした。',
    joined_elsewhere: '通話は別のページで続いています。',
    protocol_error: 'エラーのため、サービスが接続を閉じました。',
    service_error: 'サービスが処理できませんでした。',
    recognition_not_supported:
      'このブラウザには音声認識がありません。Chrome、Edge、Safariを使うか、文字で入力してください。',
    recognition_failed: 'ブラウザの音声認識を利用できません。文字で入力できます。',
  },
);
