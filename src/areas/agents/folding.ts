/**
 * The form in which names are searched: Unicode NFKC and full case folding, so that width, case and composition do not
 * matter. Done here and not in SQL, so that both engines give the same answers.
 */
export function fold(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text.normalize('NFKC')) folded += foldCharacter(character);
  return folded.normalize('NFKC');
}

/**
 * Down, up and down again, a character at a time: up, because ß folds to ss and ς to σ; down before it, because ẞ has no
 * other upper case; alone, because the lower case of Σ would otherwise depend on what follows it. Only the dotless ı must
 * not come back as i. Over all of Unicode this finds the same characters equal as full case folding does.
 */
function foldCharacter(character: string): string {
  return character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase();
}
