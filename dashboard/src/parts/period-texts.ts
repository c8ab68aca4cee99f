import { inBothLanguages } from '../language/texts.ts';

export const periodTexts = inBothLanguages(
  {
    hour: 'the last hour',
    day: 'the last 24 hours',
    week: 'the last 7 days',
    month: 'the last 30 days',
  },
  {
    hour: '過去1時間',
    day: '過去24時間',
    week: '過去7日間',
    month: '過去30日間',
  },
);
