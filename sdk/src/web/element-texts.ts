import type { WebCallErrorCode } from './errors.ts';

const english = {
  title: 'Talk to us',
  intro: 'Press the button and speak. You can also type.',
  introChat: 'Press the button and write to us.',
  start: 'Start call',
  startChat: 'Start chat',
  startTyping: 'Continue by typing',
  again: 'Start again',
  inCall: 'Call in progress',
  inChat: 'Chat in progress',
  unread: 'New messages',
  close: 'Close',
  mute: 'Mute',
  unmute: 'Unmute',
  end: 'End call',
  endChat: 'End chat',
  message: 'Message',
  send: 'Send',
  transcript: 'Conversation',
  you: 'You',
  connecting: 'Connecting…',
  caller: 'Listening…',
  agent: 'Speaking…',
  none: 'Connected',
  muted: 'Your microphone is muted',
  reconnecting: 'Connection lost. Reconnecting…',
  ended: 'The conversation has ended.',
  noSpeechIn: 'Speech is not understood here yet. Please type.',
  noSpeechOut: 'The agent has no voice here yet. Its replies appear as text.',
  recorded: 'This call is recorded.',
  recognition: 'Your browser turns your speech into text. For that it may send your voice to its maker.',
  microphone_denied:
    'The microphone is blocked. Allow it in the settings of your browser for this page, or type instead.',
  no_microphone: 'No microphone was found. Connect one, or type instead.',
  microphone_failed: 'The microphone does not start. Another program may be using it.',
  microphone_lost: 'The microphone is no longer available. You can go on by typing.',
  insecure_context: 'Calls need a secure page (HTTPS).',
  not_supported: 'This browser cannot make calls. Please try another one.',
  worklet_blocked: 'The settings of this page do not allow calls.',
  audio_suspended: 'Click anywhere to hear the agent.',
  connection_refused: 'The call could not be started. Please try again.',
  connection_lost: 'The connection was lost.',
  joined_elsewhere: 'The conversation continues in another window.',
  protocol_error: 'The call was interrupted. Please start again.',
  service_error: 'That did not work. Please try again in a moment.',
  recognition_not_supported: 'This browser has no speech recognition. Please type, or try another browser.',
  recognition_failed: 'Speech recognition does not work at the moment. Please type.',
  speech_unavailable: 'Speech is not available in this call. Please type.',
  access_failed: 'The call could not be started. Please try again later.',
  call_failed: 'The call ended because of a technical problem. Please start again.',
  unexpected_error: 'Something went wrong. Please reload the page and try again.',
  refused401: 'This call is no longer valid. Please start again.',
  refused404: 'This call does not exist any more. Please start again.',
  refused409: 'This call is already over. Please start again.',
  refused429: 'There were too many attempts. Please wait a minute and try again.',
  refused503: 'All lines are busy at the moment. Please try again in a few minutes.',
} as const satisfies Record<WebCallErrorCode, string> & Record<string, string>;

export const elementTextNames: readonly string[] = Object.keys(english);

/** Every text of the element, by name. The attribute `labels` replaces some of them. */
export type ElementTexts = { readonly [Name in keyof typeof english]: string };

const japanese: ElementTexts = {
  title: 'お問い合わせ',
  intro: 'ボタンを押してお話しください。文字でも入力できます。',
  introChat: 'ボタンを押してメッセージをお送りください。',
  start: '通話を始める',
  startChat: 'チャットを始める',
  startTyping: '文字で続ける',
  again: 'もう一度始める',
  inCall: '通話中',
  inChat: 'チャット中',
  unread: '新着メッセージ',
  close: '閉じる',
  mute: 'ミュート',
  unmute: 'ミュート解除',
  end: '通話を終了',
  endChat: 'チャットを終了',
  message: 'メッセージ',
  send: '送信',
  transcript: '会話',
  you: 'お客様',
  connecting: '接続しています…',
  caller: 'お話しください…',
  agent: '応答しています…',
  none: '接続中',
  muted: 'マイクはミュートされています',
  reconnecting: '接続が切れました。再接続しています…',
  ended: '会話は終了しました。',
  noSpeechIn: '音声認識はまだご利用いただけません。文字で入力してください。',
  noSpeechOut: '音声での応答はまだご利用いただけません。返答は文字で表示されます。',
  recorded: 'この通話は録音されています。',
  recognition: '音声の文字起こしにはブラウザの機能を使います。音声がブラウザの提供元へ送信されることがあります。',
  microphone_denied:
    'マイクの使用が許可されていません。ブラウザの設定でこのページに許可するか、文字で入力してください。',
  no_microphone: 'マイクが見つかりません。接続するか、文字で入力してください。',
  microphone_failed: 'マイクを開始できません。ほかのアプリが使用している可能性があります。',
  microphone_lost: 'マイクが使えなくなりました。文字で続けられます。',
  insecure_context: '通話には安全な接続（HTTPS）が必要です。',
  not_supported: 'このブラウザでは通話できません。別のブラウザをお試しください。',
  worklet_blocked: 'このページの設定により、通話を利用できません。',
  audio_suspended: '画面をクリックすると音声が再生されます。',
  connection_refused: '通話を開始できませんでした。もう一度お試しください。',
  connection_lost: '接続が切れました。',
  joined_elsewhere: '会話は別の画面で続いています。',
  protocol_error: '通話が中断されました。もう一度始めてください。',
  service_error: '処理できませんでした。少し待ってからもう一度お試しください。',
  recognition_not_supported: 'このブラウザには音声認識がありません。文字で入力するか、別のブラウザをお試しください。',
  recognition_failed: '音声認識を利用できません。文字で入力してください。',
  speech_unavailable: 'この通話では音声をご利用いただけません。文字で入力してください。',
  access_failed: '通話を開始できませんでした。しばらくしてからもう一度お試しください。',
  call_failed: '技術的な問題により通話が終了しました。もう一度始めてください。',
  unexpected_error: '問題が発生しました。ページを再読み込みしてから、もう一度お試しください。',
  refused401: 'この通話は無効になりました。もう一度始めてください。',
  refused404: 'この通話は見つかりません。もう一度始めてください。',
  refused409: 'この通話はすでに終了しています。もう一度始めてください。',
  refused429: '接続の回数が多すぎます。1分ほど待ってからもう一度お試しください。',
  refused503: 'ただいま混み合っています。数分後にもう一度お試しください。',
};

/** Japanese for Japanese, English for everything else. `labels` is a JSON object; what is not one is ignored. */
export function elementTexts(language: string, labels: string | null): ElementTexts {
  return { ...(/^ja\b/i.test(language) ? japanese : english), ...parsed(labels) };
}

function parsed(labels: string | null): Partial<ElementTexts> {
  try {
    const value = JSON.parse(labels ?? '{}');
    // Anything but a text would hide what it replaces.
    const texts = Object.entries(value ?? {}).filter(([, text]) => typeof text === 'string');
    return Object.fromEntries(texts);
  } catch {
    return {};
  }
}
