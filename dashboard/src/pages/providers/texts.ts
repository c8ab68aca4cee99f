import { inBothLanguages } from '../../language/texts.ts';

export const providersTexts = inBothLanguages(
  {
    description:
      'What recognizes callers, speaks and replies in calls. Keys are set where the service runs, and are never shown.',
    provider: 'Provider',
    state: 'State',
    connected: 'Connected',
    notConnected: 'Not connected',
    does: 'Does',
    stt: 'Recognition',
    tts: 'Voices',
    llm: 'Language models',
    languages: 'Languages',
    allLanguages: 'All',
    moreLanguages: (count: number) => `and ${count} more`,
    test: 'Test',
    connectTitle: 'Connect a provider',
    connectText:
      'Set its key in the environment of the service, or install what is missing, and restart the service. In a shell, for example:',
    comma: ', ',
  },
  {
    description:
      '通話での音声認識、音声合成、応答に使用するものです。キーはサービスの実行環境で設定し、画面には表示されません。',
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
    browser: '発信者のブラウザー',
    test: 'テスト用の音声',
  },
);

export const providerNotes = inBothLanguages<Readonly<Record<string, string>>>(
  {
    openai: 'Or a server with the same protocol',
    embedded: 'On this machine, without an account',
    browser: 'The maker of the browser gets the audio. Only for agents that name it',
    test: 'For tests of calls. Only for agents that name it',
  },
  {
    openai: '同じプロトコルのサーバーも使用できます',
    embedded: 'アカウント不要で、このマシン上で動作します',
    browser: '音声はブラウザーの提供元に送られます。指定したエージェントだけが使用します',
    test: '通話のテスト用です。指定したエージェントだけが使用します',
  },
);
