import { inBothLanguages } from '../../language/texts.ts';

export const accountTexts = inBothLanguages(
  {
    title: (name: string) => `${name}: your own account`,
    about:
      'Used by this workspace only, instead of the operator’s settings. It applies from the next call on; calls in progress are not affected.',
    save: 'Save and verify',
    key: 'API key',
    keyHint: 'It is encrypted and cannot be shown again. Leave it empty for a server that needs none.',
    keyKept: (last4: string | null) =>
      `A key is set${last4 === null ? '' : `, ending with ${last4}`}. Leave the field empty to keep it.`,
    keyIssue: 'Enter a key, or the address of a server of your own.',
    keyForOther: 'Enter the key again: the stored key belongs to the previous address.',
    showKey: 'Show the key',
    baseUrl: 'Base URL',
    baseUrlHint: 'For a compatible server or a regional address. Leave it empty to use the default.',
    models: 'Model names',
    modelsHint:
      'The names that are sent instead of those in your agents, one per line. * stands for all other language models.',
    modelsIssue: 'Write one “name = other” per line.',
    model: 'Model',
    modelHint: 'Texts of knowledge bases are sent to it, unless a knowledge base turns embeddings off.',
    modelIssue: 'Enter the name of a model.',
    removeTitle: (name: string) => `Remove your account at ${name}?`,
    removeText:
      'The key is deleted and cannot be recovered. From the next call on, this workspace uses the operator’s key, if there is one.',
    remove: 'Remove',
    removed: (name: string) => `Your account at ${name} was removed.`,
  },
  {
    title: (name) => `${name}：自社のアカウント`,
    about:
      'このワークスペースだけに適用され、運用者の設定より優先されます。次の通話から有効になり、進行中の通話には影響しません。',
    save: '保存して確認',
    key: 'APIキー',
    keyHint: '暗号化して保存され、あとから表示することはできません。キーが不要なサーバーの場合は空欄にします。',
    keyKept: (last4) =>
      `キーは設定済みです${last4 === null ? '' : `（末尾 ${last4}）`}。変更しない場合は空欄のままにします。`,
    keyIssue: 'キー、または自社サーバーのアドレスを入力してください。',
    keyForOther: 'キーをもう一度入力してください。保存済みのキーは、変更前のアドレスのものです。',
    showKey: 'キーを表示',
    baseUrl: 'ベースURL',
    baseUrlHint: '互換サーバーや地域別のアドレスを使う場合に入力します。通常は空欄にします。',
    models: 'モデル名の置き換え',
    modelsHint: 'エージェントのモデル名の代わりに送信する名前を、1行に1つ書きます。* はその他すべての言語モデルです。',
    modelsIssue: '「名前 = 別の名前」を1行に1つ書いてください。',
    model: 'モデル',
    modelHint: 'ナレッジベースの文章がこのモデルに送信されます。埋め込みを使わないナレッジベースは除きます。',
    modelIssue: 'モデル名を入力してください。',
    removeTitle: (name) => `${name}のアカウントを削除しますか？`,
    removeText: 'キーは削除され、元に戻せません。次の通話からは、運用者のキーがあればそれを使用します。',
    remove: '削除',
    removed: (name) => `${name}のアカウントを削除しました。`,
  },
);

/** The outcome of a verification. `name`: the provider. */
export const outcomeTexts = inBothLanguages<Readonly<Record<string, (name: string) => string>>>(
  {
    ok: (name) => `${name} accepts the key.`,
    not_configured: (name) => `${name} is not configured.`,
    key_missing: (name) => `${name} requires a key, and none is set.`,
    key_rejected: (name) => `${name} does not accept the key. Check that it is complete and valid.`,
    permission_missing: () => 'The key lacks a permission, or the account is restricted.',
    quota_exceeded: () => 'The key is accepted, but the account has no quota or credit left.',
    rate_limited: (name) => `${name} is rate limiting requests. Try again later.`,
    wrong_address: () => 'Something else answers at this address. Check the base URL.',
    address_not_allowed: () => 'The service does not connect to this base URL: its network is not allowed.',
    unreachable: (name) => `${name} cannot be reached. Check the base URL and the network.`,
    tls_failed: () => 'The TLS certificate is not trusted.',
    timeout: (name) => `${name} did not respond in time.`,
    provider_failed: (name) => `${name} failed. The key is not the problem. Try again later.`,
  },
  {
    ok: (name) => `${name}でキーが確認できました。`,
    not_configured: (name) => `${name}は設定されていません。`,
    key_missing: (name) => `${name}にはキーが必要ですが、設定されていません。`,
    key_rejected: (name) => `${name}がキーを受け付けませんでした。正しいキー全体が入力されているか確認してください。`,
    permission_missing: () => 'キーの権限が不足しているか、アカウントが制限されています。',
    quota_exceeded: () => 'キーは有効ですが、アカウントの利用枠または残高がありません。',
    rate_limited: (name) => `${name}へのリクエストが多すぎます。しばらくしてからもう一度お試しください。`,
    wrong_address: () => 'このアドレスでは別のサーバーが応答しています。ベースURLを確認してください。',
    address_not_allowed: () => 'このベースURLのネットワークへの接続は許可されていません。',
    unreachable: (name) => `${name}に接続できません。ベースURLとネットワークを確認してください。`,
    tls_failed: () => 'TLS証明書が信頼されていません。',
    timeout: (name) => `${name}から時間内に応答がありませんでした。`,
    provider_failed: (name) =>
      `${name}でエラーが発生しました。キーの問題ではありません。しばらくしてからお試しください。`,
  },
);
