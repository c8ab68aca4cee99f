import type { Language } from '../../language/language.tsx';
import { duration } from './duration.ts';
import { optionLabel } from './field-texts.ts';
import type { Field } from './fields.ts';
import type { AgentTexts } from './texts.ts';
import { Unreadable } from './values.ts';

/** A short form of a value. */
export function shortValue(
  value: unknown,
  { name, rules, unit }: Field,
  texts: AgentTexts,
  language: Language,
): string {
  if (name === 'beginMessage' && value === null) return texts.modelWrites;
  if (name === 'beginMessage' && value === '') return texts.agentWaits;
  if (name === 'voiceEmotion' && value === null) return texts.neutral;
  if (value === undefined || value === null) return texts.notSet;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'number') {
    return unit === 'ms' ? duration(value, language) : value.toLocaleString(language, { maximumFractionDigits: 20 });
  }
  if (typeof value === 'string') return rules.options?.includes(value) ? optionLabel(value, language) : value;
  if (Array.isArray(value) && value.length === 0) return texts.emptyList;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return longValue(value);
}

/** The full value, line by line. */
export function longValue(value: unknown): string {
  if (value === undefined) return '';
  if (value instanceof Unreadable) return value.text;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('\n');
  return JSON.stringify(value, null, 2);
}
