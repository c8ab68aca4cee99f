import { inBothLanguages } from '../../language/texts.ts';

export const newAgentTexts = inBothLanguages(
  {
    title: 'New agent',
    description: 'Start from a template. Everything can be changed later.',
    template: 'Template',
    templateLanguage: 'Language of the templates',
    reception: 'Receptionist',
    'reception-about': 'Takes bookings, and confirms and corrects them with a tool.',
    'order-status': 'Order status',
    'order-status-about': 'Looks up an order by its number, and says when it arrives.',
    'faq-desk': 'FAQ desk',
    'faq-desk-about': 'Answers word for word from a knowledge base, which is created with it.',
    survey: 'Survey',
    'survey-about': 'Asks a few questions after a delivery.',
    'opening-hours': 'Opening hours',
    'opening-hours-about': 'Answers questions about hours, address and holidays.',
    'custom-llm': 'Custom LLM',
    'custom-llm-about': 'Replies come from a server of your own. An example server is included.',
    blank: 'Blank',
    'blank-about': 'Write your own prompt, or build a flow.',
    talkNow: (language: string) =>
      `This service understands and speaks ${language}, so you can talk to these agents right away.`,
    typeHearing: (language: string) =>
      `Speech recognition for ${language} is not available here yet. Type, and listen to the reply.`,
    typeReading: (language: string) => `Speech in ${language} is not available here yet. Type, and read the reply.`,
    customServer: 'Start the example server, then try the agent:',
    adviceHearing: (language: string) =>
      `Speech recognition for ${language} is not available here yet. Type and listen to the reply, or set the speech recognition provider under “Advanced” to browser.`,
    adviceReading: (language: string) =>
      `Speech in ${language} is not available here yet. Type and read the replies, set the speech recognition provider under “Advanced” to browser, or connect a provider.`,
    adviceCommand: (language: string) =>
      `Speech in ${language} is not available here yet. Type and read the replies, set the speech recognition provider under “Advanced” to browser, or add a voice with`,
    flowOf: (count: number) =>
      `A flow with ${count} steps. You can look at it and change it after you create the agent.`,
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
    templateLanguage: 'テンプレートの言語',
    reception: '予約受付',
    'reception-about': '予約を受け付け、確認や訂正にも対応します。ツールを使用します。',
    'order-status': '配送状況の案内',
    'order-status-about': '注文番号から状況を調べ、お届け日を案内します。',
    'faq-desk': 'FAQデスク',
    'faq-desk-about': '一緒に作成されるナレッジから、文面どおりに答えます。',
    survey: 'アンケート',
    'survey-about': '配達後に短いアンケートを行います。',
    'opening-hours': '営業時間の案内',
    'opening-hours-about': '営業時間、住所、休業日の問い合わせに答えます。',
    'custom-llm': 'カスタムLLM',
    'custom-llm-about': '応答は自社のサーバーが生成します。サンプルのサーバーが付属しています。',
    blank: '空白',
    'blank-about': 'プロンプトを書くか、フローを組み立てます。',
    talkNow: (language) =>
      `このサービスは${language}の聞き取りと発話に対応しています。作成したエージェントとすぐに話せます。`,
    typeHearing: (language) => `${language}の音声認識はまだ利用できません。文字で入力し、返答を音声で聞けます。`,
    typeReading: (language) => `${language}の音声はまだ利用できません。文字でやり取りできます。`,
    customServer: 'サンプルのサーバーを起動してから、エージェントを試してください：',
    adviceHearing: (language) =>
      `${language}の音声認識はまだ利用できません。文字で入力して返答を音声で聞くか、「詳細設定」で音声認識を「browser」にしてください。`,
    adviceReading: (language) =>
      `${language}の音声はまだ利用できません。文字でやり取りするか、「詳細設定」で音声認識を「browser」にするか、プロバイダーを接続してください。`,
    adviceCommand: (language) =>
      `${language}の音声はまだ利用できません。文字でやり取りするか、「詳細設定」で音声認識を「browser」にするか、次のコマンドで音声を追加してください：`,
    flowOf: (count) => `${count}個のステップからなるフローです。作成後に確認、変更できます。`,
    emptyFlow: 'フローは作成後に組み立てます。それまでは、このプロンプトで応答します。',
    flow: 'フロー',
    advanced: '詳細設定',
    advancedHint: '音声と聞き取り、分析、Webhookなど。すべてに初期値があります。',
    code: 'コード',
  },
);
