/** Shorter words have too many neighbors for a correction. */
const minLength = 4;

interface Keyword {
  readonly text: string;
  readonly folded: string;
  readonly words: number;
}

/** Corrects what was heard against a list of words: one that differs by a single edit, or in case, becomes the listed one. */
export function createKeywordCorrection(keywords: readonly string[]): (text: string) => string {
  const known = keywords
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== '')
    .map((text) => ({ text, folded: fold(text), words: text.split(/\s+/).length }));
  if (known.length === 0) return (text) => text;
  const spaced = known.filter(({ text }) => !isUnspaced(text));
  const unspaced = known.filter(({ text }) => isUnspaced(text));
  return (text) => correctCharacters(correctWords(text, spaced), unspaced);
}

/** Words with the spaces and marks around them: `split` keeps the separators at odd places. */
function correctWords(text: string, keywords: readonly Keyword[]): string {
  if (keywords.length === 0) return text;
  const parts = text.split(/([^\p{L}\p{N}'’-]+)/u);
  for (let index = 0; index < parts.length; index += 2) {
    const found = findAt(parts, index, keywords);
    if (found === undefined) continue;
    parts.splice(index, found.length, found.keyword.text);
  }
  return parts.join('');
}

function findAt(parts: readonly string[], index: number, keywords: readonly Keyword[]) {
  if (parts[index] === '') return undefined;
  const candidates = keywords.flatMap((keyword) =>
    [keyword.words, keyword.words + 1, keyword.words - 1]
      .filter((words) => words > 0)
      .map((words) => {
        const heard = parts.slice(index, index + 2 * words - 1);
        return { keyword, length: heard.length, isWhole: heard.length === 2 * words - 1, heard: fold(heard.join('')) };
      }),
  );
  const fitting = candidates.filter(({ isWhole }) => isWhole);
  return (
    fitting.find(({ heard, keyword }) => heard === keyword.folded) ??
    // A listed word must not become another one that is similar.
    (keywords.some(({ folded }) => folded === fold(parts[index] ?? ''))
      ? undefined
      : fitting.find(({ heard, keyword }) => isNear(heard, keyword.folded)))
  );
}

/** For languages without spaces: any part of the text. */
function correctCharacters(text: string, keywords: readonly Keyword[]): string {
  let corrected = text;
  for (const { text: keyword, folded } of keywords) {
    if (fold(corrected).includes(folded)) continue;
    const size = [...folded].length;
    const place = [size, size - 1, size + 1]
      .flatMap((length) => placesOf(corrected, length))
      .find(({ part }) => isNear(fold(part), folded));
    if (place !== undefined) {
      corrected = corrected.slice(0, place.start) + keyword + corrected.slice(place.start + place.part.length);
    }
  }
  return corrected;
}

function placesOf(text: string, length: number) {
  const characters = [...text];
  const places: { readonly start: number; readonly part: string }[] = [];
  let start = 0;
  for (let index = 0; index + length <= characters.length; index++) {
    places.push({ start, part: characters.slice(index, index + length).join('') });
    start += (characters[index] as string).length;
  }
  return places;
}

/** Whether one insertion, deletion or replacement of a character makes them equal. */
function isNear(heard: string, wanted: string): boolean {
  const [a, b] = [[...heard], [...wanted]];
  if (b.length < minLength || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return Math.max(a.length, b.length) - start - end <= 1;
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
}

function isUnspaced(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
}
