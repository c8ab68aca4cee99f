import type { PhoneCheck } from '../../../../sdk/src/index.ts';
import type { Language } from '../../language/language.tsx';

/** What the service says in English about a check, and the same in Japanese. `*` stands for a name, which is kept. */
const japanese: readonly (readonly [english: string, japanese: string])[] = [
  ['The test carrier needs no account.', 'テスト用キャリアにアカウントは不要です。'],
  ['The account can be used.', 'アカウントを利用できます。'],
  ['The account is suspended or closed.', 'アカウントが停止または解約されています。'],
  ['The carrier could not be asked.', 'キャリアに問い合わせできませんでした。'],
  ['The carrier could not be reached. *', 'キャリアに接続できませんでした。*'],
  ['The connection could not be established.', '接続を確立できません。'],
  ['The carrier did not accept the credentials (*).', 'キャリアが認証情報を受け付けませんでした（*）。'],
  ['The carrier has too many requests (*).', 'キャリアへのリクエストが多すぎます（*）。'],
  ['The carrier refused the request (*).', 'キャリアがリクエストを拒否しました（*）。'],
  [
    'Copy the account SID and the auth token, or an API key, from the console of Twilio into this carrier, make sure that this service can reach api.twilio.com, and verify again.',
    'TwilioのコンソールのAccount SIDとAuth Token（またはAPIキー）をこのキャリアに設定し、このサービスからapi.twilio.comに接続できることを確かめて、もう一度確認してください。',
  ],
  ['The test carrier is on this machine.', 'テスト用キャリアはこのコンピューターにあります。'],
  ['The carrier can reach this service.', 'キャリアからこのサービスに接続できます。'],
  [
    'PUBLIC_URL is not set, so the carrier cannot reach this service.',
    'PUBLIC_URLが設定されていないため、キャリアからこのサービスに接続できません。',
  ],
  [
    'PUBLIC_URL is not an https address, so calls could be overheard.',
    'PUBLIC_URLがhttpsではないため、通話を傍受されるおそれがあります。',
  ],
  [
    'Set PUBLIC_URL to the https address at which the internet reaches this service, and restart it.',
    'PUBLIC_URLに、インターネットからこのサービスに届くhttpsのアドレスを設定して、再起動してください。',
  ],
  [
    'A request to * was answered with status *, and not by this service.',
    '*へのリクエストに、このサービスではないものがステータス*で応答しました。',
  ],
  [
    'Make PUBLIC_URL, its DNS entry and the proxy in front of this service lead here, including the paths under /carrier.',
    'PUBLIC_URL、DNSの設定、プロキシを見直し、/carrier以下のパスを含めてこのサービスに届くようにしてください。',
  ],
  ['A request to * got no response.', '*へのリクエストに応答がありませんでした。'],
  [
    'Check the DNS entry, the certificate and the firewall of the host in PUBLIC_URL, that its proxy is running, and that OUTBOUND_PROXY, if it is set, may connect to it.',
    'PUBLIC_URLのホストのDNS、証明書、ファイアウォールと、プロキシが動いていることを確かめてください。OUTBOUND_PROXYを設定している場合は、そのプロキシからこのホストへの接続が許可されていることも確かめてください。',
  ],
  ['The test carrier has every number.', 'テスト用キャリアでは、どの番号も使えます。'],
  ['The number is in the account and can make calls.', 'アカウントにあり、音声通話に対応しています。'],
  ['The number is not in this account.', 'このアカウントの番号ではありません。'],
  [
    'Look for it in the console of Twilio under Phone Numbers, Active numbers. If another account has it, connect that one as a carrier.',
    'Twilioのコンソールの「Phone Numbers」→「Active numbers」で番号を探してください。別のアカウントにある場合は、そのアカウントをキャリアとして登録します。',
  ],
  ['The number cannot make or receive calls.', '音声通話に対応していない番号です。'],
  [
    'Use a voice-capable number; the Twilio console shows the capabilities under Active numbers.',
    'Voiceに対応した番号を使ってください。Twilioのコンソールの「Active numbers」で確認できます。',
  ],
  [
    'Fix the failed credentials check first, then verify again.',
    '先に「アカウント」の問題を解決して、もう一度確認してください。',
  ],
  ['The test carrier sends its calls here.', 'テスト用キャリアの着信はここに届きます。'],
  ['Inbound calls are off.', '着信はオフです。'],
  ['PUBLIC_URL is not set, so calls cannot arrive here.', 'PUBLIC_URLが設定されていないため、着信が届きません。'],
  ['Fix the failed public address check first.', '先に「このサービスのアドレス」の問題を解決してください。'],
  ['It is not known where calls to the number go.', '着信がどこに届くか分かりません。'],
  [
    'Fix the failed ownership check first, then verify again.',
    '先に「電話番号」の問題を解決して、もう一度確認してください。',
  ],
  [
    'Calls to the number go to *, which overrides its voice URL.',
    '着信が*に届いています。この設定は、番号の着信先のURLより優先されます。',
  ],
  [
    'Remove the trunk or the application from the number in the console of Twilio, and verify again.',
    'Twilioのコンソールで、番号からトランクまたはアプリケーションの設定を外して、もう一度確認してください。',
  ],
  ['Calls to the number arrive here.', '着信はここに届きます。'],
  ['Calls to the number go to another address.', '着信が別のアドレスに届いています。'],
  [
    'In the console of Twilio, set "A call comes in" of the number to Webhook, *, HTTP POST; or delete the number here and import it again.',
    'Twilioのコンソールで、番号の「A call comes in」をWebhook、*、HTTP POSTに設定してください。または、ここで番号を削除して追加し直します。',
  ],
  ['No agent answers calls to the number.', 'この番号に応答するエージェントが設定されていません。'],
  ['Choose an agent for inbound calls, or turn them off.', '応答するエージェントを選ぶか、着信をオフにしてください。'],
  ['The agent can answer.', 'エージェントが応答できます。'],
  ['The agent has no published version.', 'エージェントに公開中のバージョンがありません。'],
  ['The agent has no version *.', 'エージェントにバージョン*はありません。'],
  [
    'Publish the agent, or choose a version that exists.',
    'エージェントを公開するか、存在するバージョンを選んでください。',
  ],
];

/** A check in the language of the page. What is not known here stays in English. */
export function translatedCheck({ message, remedy }: PhoneCheck, language: Language) {
  if (language === 'en') return { message, remedy };
  return { message: translated(message), remedy: remedy === null ? null : translated(remedy) };
}

function translated(text: string): string {
  for (const [english, other] of japanese) {
    const names = namesIn(text, english);
    if (names !== null) return names.reduce((built, name) => built.replace('*', () => translated(name)), other);
  }
  return text;
}

/** What stands in place of each `*`; null if it is another text. */
function namesIn(text: string, pattern: string): readonly string[] | null {
  const source = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.?()/"]/g, '\\$&'))
    .join('(.+)');
  return new RegExp(`^${source}$`, 's').exec(text)?.slice(1) ?? null;
}
