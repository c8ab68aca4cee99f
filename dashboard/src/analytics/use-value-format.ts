import { useMemo } from 'react';
import { useLanguage } from '../language/language.tsx';
import { createValueFormat, type ValueFormat } from './value-format.ts';

export function useValueFormat(): ValueFormat {
  const { language, format } = useLanguage();
  return useMemo(() => createValueFormat(language, format), [language, format]);
}
