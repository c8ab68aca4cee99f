/**
 * Normalizes names for search: Unicode NFKC and full case folding, so that width, case and composition do not matter.
 * Done here instead of in SQL so that both engines give the same results.
 */
export function fold(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  // Japanese and Chinese have no case of their own, and this is ten times as fast as one character at a time.
  if (/^[\x00-\x7f\u3000-\u9fff\uff00-\uffef]*$/.test(text)) return text.normalize('NFKC').toLowerCase();
  // The dotless ı must not become i.
  const parts = text.normalize('NFKC').split('ı');
  return parts.map(foldPart).join('ı').normalize('NFKC');
}

/**
 * Lower, upper and lower case again. Upper, because ß folds to ss and ς to σ. Lower first, because ẞ has no other upper
 * case. For all of Unicode, this treats the same characters as equal as full case folding does. Only the lower case of Σ
 * depends on the characters next to it.
 */
function foldPart(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
