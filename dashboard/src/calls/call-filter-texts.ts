import { inBothLanguages } from '../language/texts.ts';

export const callFilterTexts = inBothLanguages(
  {
    agent: 'Agent',
    anyAgent: 'Any agent',
    version: 'Version',
    anyVersion: 'Any',
    type: 'Type',
    direction: 'Direction',
    any: 'Any',
  },
  {
    agent: 'エージェント',
    anyAgent: 'すべてのエージェント',
    version: 'バージョン',
    anyVersion: 'すべて',
    type: '種類',
    direction: '方向',
    any: 'すべて',
  },
);
