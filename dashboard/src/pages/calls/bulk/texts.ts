import { inBothLanguages } from '../../../language/texts.ts';

export const bulkTexts = inBothLanguages(
  {
    analyzeTitle: (count: string) => `Run the analysis of ${count} calls`,
    analyzeText:
      'Each transcript is analyzed again by the language model of its agent, which may cost tokens. The current result remains until the new one is complete.',
    analyzeConfirm: (count: string) => `Analyze ${count} calls`,
    redactTitle: (count: string) => `Redact ${count} calls`,
    redactText: 'Content that is removed from calls, transcripts, events, analyses and recordings cannot be recovered.',
    redactConfirm: (count: string) => `Redact ${count} calls`,
    deleteTitle: (count: string) => `Delete ${count} calls`,
    deleteText:
      'The calls are deleted with their transcripts, events, analyses and recordings. They cannot be recovered.',
    deleteConfirm: (count: string) => `Delete ${count} calls`,
    keep: 'What to keep',
    keepRest: 'Remove personal data',
    keepRestText: 'Phone numbers, email addresses and other personal data are replaced, and recordings are deleted.',
    keepBasic: 'Keep basic attributes only',
    keepBasicText: 'Transcripts, variables, analyses and recordings are deleted.',
    progress: (done: string, total: string) => `${done} of ${total} done`,
    stopped: (done: string, total: string) => `Stopped after ${done} of ${total}. The other calls are unchanged.`,
    stop: 'Stop',
    failed: (count: string) => `${count} could not be changed`,
  },
  {
    analyzeTitle: (count) => `${count}件の通話の分析を実行`,
    analyzeText:
      'それぞれの文字起こしを、エージェントの言語モデルでもう一度分析します。トークンの費用がかかる場合があります。新しい結果が出るまで、現在の結果が残ります。',
    analyzeConfirm: (count) => `${count}件を分析`,
    redactTitle: (count) => `${count}件の通話を匿名化`,
    redactText: '通話、文字起こし、イベント、分析、録音から取り除いた内容は、元に戻せません。',
    redactConfirm: (count) => `${count}件を匿名化`,
    deleteTitle: (count) => `${count}件の通話を削除`,
    deleteText: '通話を、文字起こし、イベント、分析、録音とともに削除します。元に戻せません。',
    deleteConfirm: (count) => `${count}件を削除`,
    keep: '残す内容',
    keepRest: '個人情報を取り除く',
    keepRestText: '電話番号やメールアドレスなどを置き換え、録音を削除します。',
    keepBasic: '基本情報だけを残す',
    keepBasicText: '文字起こし、変数、分析、録音を削除します。',
    progress: (done, total) => `${total}件中${done}件を処理しました`,
    stopped: (done, total) => `${total}件中${done}件で停止しました。ほかの通話は変更されていません。`,
    stop: '停止',
    failed: (count) => `${count}件を変更できませんでした`,
  },
);
