import { inBothLanguages } from '../../language/texts.ts';

export const providersTexts = inBothLanguages(
  {
    description:
      'Speech recognition, voices, language models and embeddings. Use the operator’s accounts, or your own for this workspace. Keys are never shown.',
    provider: 'Provider',
    state: 'State',
    connected: 'Connected',
    notConnected: 'Not connected',
    does: 'Capabilities',
    stt: 'Recognition',
    tts: 'Voices',
    llm: 'Language models',
    embeddings: 'Embeddings',
    sourcesTitle: 'In use',
    endsWith: (last4: string) => `Key ends with ${last4}`,
    actions: 'Actions',
    setKey: 'Set key',
    change: 'Change',
    verify: 'Verify',
    remove: 'Remove',
    verifying: 'Verifying…',
    languages: 'Languages',
    allLanguages: 'All',
    moreLanguages: (count: number) => `and ${count} more`,
    test: 'Test',
    connectTitle: 'Connect for all workspaces',
    connectText:
      'As the operator, set keys in the environment of the service, or install the missing package, then restart the service. For example:',
    comma: ', ',
  },
  {
    description:
      '音声認識、音声合成、言語モデル、埋め込みの提供元です。運用者のアカウントのほか、このワークスペース専用のアカウントも設定できます。キーは画面に表示されません。',
    provider: 'プロバイダー',
    state: '状態',
    connected: '接続済み',
    notConnected: '未接続',
    does: '機能',
    stt: '音声認識',
    tts: '音声合成',
    llm: '言語モデル',
    embeddings: '埋め込み',
    sourcesTitle: '使用中',
    endsWith: (last4) => `キーの末尾：${last4}`,
    actions: '操作',
    setKey: 'キーを設定',
    change: '変更',
    verify: '確認',
    remove: '削除',
    verifying: '確認しています…',
    languages: '言語',
    allLanguages: 'すべて',
    moreLanguages: (count) => `ほか${count}言語`,
    test: 'テスト',
    connectTitle: 'すべてのワークスペースで使う',
    connectText:
      '運用者は、サービスの環境変数にキーを設定するか、不足しているパッケージをインストールして、サービスを再起動してください。シェルでの例：',
    comma: '、',
  },
);

export const providerNames = inBothLanguages<Readonly<Record<string, string>>>(
  {
    deepgram: 'Deepgram',
    elevenlabs: 'ElevenLabs',
    cartesia: 'Cartesia',
    openai: 'OpenAI',
    embeddings: 'Embeddings',
    embedded: 'Embedded speech',
    browser: 'The caller’s browser',
    test: 'Test speech',
  },
  {
    deepgram: 'Deepgram',
    elevenlabs: 'ElevenLabs',
    cartesia: 'Cartesia',
    openai: 'OpenAI',
    embeddings: '埋め込み',
    embedded: '組み込みの音声',
    browser: '発信者のブラウザ',
    test: 'テスト用の音声',
  },
);

export const providerNotes = inBothLanguages<Readonly<Record<string, string>>>(
  {
    openai: 'Or any compatible server',
    embeddings: 'Searches knowledge bases by meaning: OpenAI or any compatible server',
    embedded: 'On this machine, without an account',
    browser: 'Audio may be sent to the browser vendor. Used only by agents that select it',
    test: 'For testing calls. Used only by agents that select it',
  },
  {
    openai: '互換サーバーも使用できます',
    embeddings: 'ナレッジベースの意味検索に使います。OpenAIまたは互換サーバー',
    embedded: 'アカウント不要で、このマシン上で動作します',
    browser: '音声がブラウザの提供元に送信されることがあります。指定したエージェントだけが使用します',
    test: '通話のテスト用です。指定したエージェントだけが使用します',
  },
);

/** Where a provider comes from. */
export const sourceTexts = inBothLanguages(
  {
    workspace: 'your own account',
    operator: 'the operator’s account',
    embedded: 'built in, no account needed',
    none: 'not connected',
  },
  {
    workspace: '自社のアカウント',
    operator: '運用者のアカウント',
    embedded: '組み込み（アカウント不要）',
    none: '未接続',
  },
);

/** What a workspace has without a provider for a capability. */
export const nothingTexts = inBothLanguages(
  {
    stt: 'None. Callers can type in web calls.',
    tts: 'None. Callers can read the replies in web calls.',
    llm: 'None. Only flows and test models reply.',
    embeddings: 'None. Knowledge bases are searched by words.',
  },
  {
    stt: 'なし。Web通話では文字で入力できます。',
    tts: 'なし。Web通話では返答を文字で読めます。',
    llm: 'なし。フローとテスト用モデルだけが応答します。',
    embeddings: 'なし。ナレッジベースは語句で検索します。',
  },
);
