import { inBothLanguages } from '../../language/texts.ts';

export const providersTexts = inBothLanguages(
  {
    description:
      'Speech recognition, voices and language models for calls. Their keys are set in the environment of the service and are never shown.',
    provider: 'Provider',
    state: 'State',
    connected: 'Connected',
    notConnected: 'Not connected',
    does: 'Capabilities',
    stt: 'Recognition',
    tts: 'Voices',
    llm: 'Language models',
    languages: 'Languages',
    allLanguages: 'All',
    moreLanguages: (count: number) => `and ${count} more`,
    test: 'Test',
    connectTitle: 'Connect a provider',
    connectText:
      'Set its key in the environment of the service, or install the missing package, then restart the service. For example:',
    comma: ', ',
  },
  {
    description:
      '通話で使用する音声認識、音声合成、言語モデルです。キーはサービスの環境変数で設定します。画面には表示されません。',
    provider: 'プロバイダー',
    state: '状態',
    connected: '接続済み',
    notConnected: '未接続',
    does: '機能',
    stt: '音声認識',
    tts: '音声合成',
    llm: '言語モデル',
    languages: '言語',
    allLanguages: 'すべて',
    moreLanguages: (count) => `ほか${count}言語`,
    test: 'テスト',
    connectTitle: 'プロバイダーを接続する',
    connectText:
      'サービスの環境変数にキーを設定するか、不足しているものをインストールして、サービスを再起動してください。シェルでの例：',
    comma: '、',
  },
);

export const providerNames = inBothLanguages<Readonly<Record<string, string>>>(
  {
    deepgram: 'Deepgram',
    elevenlabs: 'ElevenLabs',
    cartesia: 'Cartesia',
    openai: 'OpenAI',
    embedded: 'Embedded speech',
    browser: 'The caller’s browser',
    test: 'Test speech',
  },
  {
    deepgram: 'Deepgram',
    elevenlabs: 'ElevenLabs',
    cartesia: 'Cartesia',
    openai: 'OpenAI',
    embedded: '組み込みの音声',
    browser: '発信者のブラウザ',
    test: 'テスト用の音声',
  },
);

export const providerNotes = inBothLanguages<Readonly<Record<string, string>>>(
  {
    openai: 'Or any compatible server',
    embedded: 'On this machine, without an account',
    browser: 'Audio may be sent to the browser vendor. Used only by agents that select it',
    test: 'For testing calls. Used only by agents that select it',
  },
  {
    openai: '互換サーバーも使用できます',
    embedded: 'アカウント不要で、このマシン上で動作します',
    browser: '音声がブラウザの提供元に送信されることがあります。指定したエージェントだけが使用します',
    test: '通話のテスト用です。指定したエージェントだけが使用します',
  },
);
