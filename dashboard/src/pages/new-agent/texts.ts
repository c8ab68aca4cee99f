import { inBothLanguages } from '../../language/texts.ts';

export const newAgentTexts = inBothLanguages(
  {
    title: 'New agent',
    description: 'Start from a template. Everything can be changed later.',
    template: 'Template',
    'opening-hours': 'Opening hours',
    openingHoursAbout: 'Answers questions about hours, address and holidays.',
    'faq-desk': 'FAQ desk',
    faqDeskAbout: 'Answers word for word from a knowledge base, which is created with it. No model needed.',
    survey: 'Survey',
    surveyAbout: 'Asks a few questions after a delivery.',
    salon: 'Salon bookings',
    salonAbout: 'Takes bookings, confirms and corrects them, with a tool.',
    blank: 'Blank',
    blankAbout: 'Write your own prompt, or build a flow.',
    talkNow: 'Talk to it right away',
    typeHearing: (language: string) => `${language}: type and hear the reply`,
    typeReading: (language: string) => `${language}: type and read the reply`,
    adviceHearing: (language: string) =>
      `This service does not recognize spoken ${language} yet: type and hear the reply, or set the recognition under “Advanced” to browser.`,
    adviceReading: (language: string) =>
      `This service has no speech in ${language} yet: type and read the replies, set the recognition under “Advanced” to browser, or connect a provider.`,
    adviceCommand: (language: string) =>
      `This service has no speech in ${language} yet: type and read the replies, set the recognition under “Advanced” to browser, or add a voice with`,
    flowOf: (count: number) =>
      `A flow with ${count} skills. You can look at it and change it after you create the agent.`,
    emptyFlow: 'You build the flow after you create the agent. Until then, it replies with this prompt.',
    flow: 'Flow',
    advanced: 'Advanced',
    advancedHint: 'Voice and listening, analysis, webhook and more. Everything has a default.',
    code: 'Code',
  },
  {
    title: 'エージェントを作成',
    description: 'テンプレートから始められます。内容は後から変更できます。',
    template: 'テンプレート',
    'opening-hours': '営業時間の案内',
    openingHoursAbout: '営業時間、住所、休業日の問い合わせに答えます。',
    'faq-desk': 'FAQデスク',
    faqDeskAbout: '一緒に作成されるナレッジから、文面どおりに答えます。モデルは不要です。',
    survey: 'アンケート',
    surveyAbout: '配達後に短いアンケートを行います。',
    salon: 'サロンの予約受付',
    salonAbout: '予約を受け付け、確認や訂正にも対応します。ツールを使用します。',
    blank: '空白',
    blankAbout: 'プロンプトを書くか、フローを組み立てます。',
    talkNow: 'すぐに話せます',
    typeHearing: (language) => `${language}：文字で入力し、声で応答`,
    typeReading: (language) => `${language}：文字でやり取り`,
    adviceHearing: (language) =>
      `このサービスはまだ${language}を聞き取れません。文字で入力して声の応答を聞くか、「詳細設定」で音声認識をbrowserにしてください。`,
    adviceReading: (language) =>
      `このサービスはまだ${language}の音声に対応していません。文字でやり取りするか、「詳細設定」で音声認識をbrowserにするか、プロバイダーを接続してください。`,
    adviceCommand: (language) =>
      `このサービスはまだ${language}の音声に対応していません。文字でやり取りするか、「詳細設定」で音声認識をbrowserにするか、次のコマンドで音声を追加してください：`,
    flowOf: (count) => `${count}個のスキルからなるフローです。作成後に確認、変更できます。`,
    emptyFlow: 'フローは作成後に組み立てます。それまでは、このプロンプトで応答します。',
    flow: 'フロー',
    advanced: '詳細設定',
    advancedHint: '音声と聞き取り、分析、Webhookなど。すべてに初期値があります。',
    code: 'コード',
  },
);
