/**
 * Normalizes names for search: Unicode NFKC and full case folding, so that width, case and composition do not matter.
 * Done here instead of in SQL so that both engines give the same results.
 */
export function fold(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  // Japanese and Chinese have no case of their own, and this is ten times as fast as one character at a time.
  if (/^[\x00-\x7f\u3000-\u9fff\uff00-\uffef]*$/.test(text)) return text.normalize('NFKC').toLowerCase();
  let folded = '';
  for (const character of text.normalize('NFKC')) folded += foldCharacter(character);
  return folded.normalize('NFKC');
}

/**
 * Lower, upper and lower case again, one character at a time. Upper, because ß folds to ss and ς to σ. Lower first,
 * because ẞ has no other upper case. One at a time, because the lower case of Σ depends on the next character. The
 * dotless ı must not become i. For all of Unicode, this treats the same characters as equal as full case folding does.
 */
function foldCharacter(character: string): string {
  return character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase();
}
