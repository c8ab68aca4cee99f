import { inBothLanguages } from '../language/texts.ts';

export const tileTexts = inBothLanguages(
  {
    calls: 'Calls',
    connectRate: 'Connect rate',
    success: 'Success rate',
    spokenReplyTime: 'Median reply, spoken',
    chatReplyTime: 'Median reply, chat',
    toolErrors: 'Tool errors',
    before: (value: string, change: string) => `Previously ${value} (${change})`,
    onlyBefore: (value: string) => `Previously ${value}`,
  },
  {
    calls: '通話数',
    connectRate: '接続率',
    success: '成功率',
    spokenReplyTime: '音声の応答（中央値）',
    chatReplyTime: 'チャットの応答（中央値）',
    toolErrors: 'ツールのエラー率',
    before: (value, change) => `比較期間は${value}（${change}）`,
    onlyBefore: (value) => `比較期間は${value}`,
  },
);
