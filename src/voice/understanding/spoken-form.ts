import type { AnswerKind, AnswerValue } from './answer.ts';

/** Temporary. */
export function spokenForm(
  value: AnswerValue,
  as: AnswerKind,
  language: string,
  options: { readonly characterByCharacter?: boolean } = {},
): string {
  const ja = language.startsWith('ja');
  if (options.characterByCharacter) return [...String(value)].join(ja ? '、' : ', ');
  if (as === 'yes_no') return ja ? (value ? 'はい' : 'いいえ') : value ? 'yes' : 'no';
  if (as === 'date') {
    const [, month, day] = String(value).split('-').map(Number);
    return ja ? `${month}月${day}日` : `${month}/${day}`;
  }
  if (as === 'time' && ja) {
    const [hour, minute] = String(value).split(':').map(Number);
    return minute ? `${hour}時${minute}分` : `${hour}時`;
  }
  return String(value);
}
