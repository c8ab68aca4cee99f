import { inBothLanguages } from '../language/texts.ts';

export const tileTexts = inBothLanguages(
  {
    calls: 'Calls',
    connectRate: 'Connect rate',
    success: 'Success rate',
    replyTime: 'Median reply time',
    replyTimeHigh: 'Reply time, p95',
    toolErrors: 'Tool errors',
    before: (value: string, change: string) => `${value} before (${change})`,
    onlyBefore: (value: string) => `${value} before`,
  },
  {
    calls: '通話数',
    connectRate: '接続率',
    success: '成功率',
    replyTime: '応答時間（中央値）',
    replyTimeHigh: '応答時間（p95）',
    toolErrors: 'ツールのエラー率',
    before: (value, change) => `比較期間は${value}（${change}）`,
    onlyBefore: (value) => `比較期間は${value}`,
  },
);
