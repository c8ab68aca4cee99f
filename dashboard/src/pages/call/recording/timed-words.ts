import type { Turn } from '../../../../../sdk/src/index.ts';

/** A piece of a turn's text: a word with the punctuation and spaces after it. */
export interface TimedWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

type SpokenTurn = Pick<Turn, 'text' | 'startMs' | 'endMs' | 'words'>;

/**
 * The text of a turn in words, each with the time when it was said: as the recognition has measured, or else estimated
 * from the length of the words. Together they are the text.
 */
export function timedWords(turn: SpokenTurn): readonly TimedWord[] {
  return measured(turn) ?? estimated(turn);
}

/** Null if there are no times, or most of them are of words that are not in the text. */
function measured({ text, words, endMs }: SpokenTurn): readonly TimedWord[] | null {
  const places: { at: number; startMs: number }[] = [];
  const folded = text.toLowerCase();
  // Otherwise a place in one is not the same place in the other.
  const searched = folded.length === text.length ? folded : text;
  let from = 0;
  for (const { text: word, startMs } of words) {
    const wanted = word.trim();
    const at = wanted === '' ? -1 : searched.indexOf(searched === folded ? wanted.toLowerCase() : wanted, from);
    if (at === -1) continue;
    places.push({ at, startMs });
    from = at + wanted.length;
  }
  if (places.length === 0 || places.length * 2 < words.length) return null;
  return places.map(({ at, startMs }, place) => {
    const next = places[place + 1];
    return {
      text: text.slice(place === 0 ? 0 : at, next?.at),
      startMs,
      // To the next word, so that one is highlighted also in a pause within a sentence.
      endMs: next?.startMs ?? endMs,
    };
  });
}

function estimated({ text, startMs, endMs }: SpokenTurn): readonly TimedWord[] {
  const pieces: string[] = [];
  let isBegun = false;
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) {
    // Punctuation belongs to the word before it, or to the first one.
    if (pieces.length > 0 && (!isWordLike || !isBegun)) pieces.push(`${pieces.pop()}${segment}`);
    else pieces.push(segment);
    isBegun ||= isWordLike === true;
  }
  const msPerCharacter = text.length === 0 ? 0 : (endMs - startMs) / text.length;
  let place = 0;
  return pieces.map((piece) => {
    const begin = place;
    place += piece.length;
    return { text: piece, startMs: startMs + begin * msPerCharacter, endMs: startMs + place * msPerCharacter };
  });
}

/** The index of the word that is said at this time. Null before and after the turn. */
export function wordAt(words: readonly TimedWord[], ms: number): number | null {
  const place = words.findLastIndex(({ startMs }) => startMs <= ms);
  const word = words[place];
  return word === undefined || ms >= word.endMs ? null : place;
}
