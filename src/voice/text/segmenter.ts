import { localeOf } from './language.ts';
import { memo } from './memo.ts';

export const wordSegmenter = memo((language) => new Intl.Segmenter(localeOf(language), { granularity: 'word' }));

export const graphemeSegmenter = memo(
  (language) => new Intl.Segmenter(localeOf(language), { granularity: 'grapheme' }),
);
