import { RE2JS } from 're2js';
import { patternIssues } from '../../contract/agents/patterns.ts';
import { fold } from '../../core/folding.ts';
import { type Fillers, fillersOf, stripFillers } from './fillers.ts';
import { searchable } from './fold.ts';
import { createPhraseSearch, longestMatch } from './searched-text.ts';
import { Work } from './work.ts';

export interface PhraseMatch {
  /** The place in the list of routes. */
  readonly route: number;
  /** What was matched, folded and without punctuation. */
  readonly text: string;
}

/** Only the beginning and the end of a long text are searched, and nothing once the work of the reply is too much. */
export interface Phrases {
  /** The route with the longest phrase in the words; of equally long ones, the first in the list. */
  match(words: string, work?: Work): number | undefined;
  /** The longest phrase of every route that has one in the words, the longest first. */
  matches(words: string, work?: Work): readonly PhraseMatch[];
}

/** How much is seen of both ends of a text. */
const seenLength = 500;
/** Stands for what is between them: no phrase contains it, and `.` does not match it. */
const gap = '\n\0\n';
/** The length of a text that is short even if folding makes it 18 times as long. */
const shortLength = 100;
/** The steps for a character that is folded and searched. */
const stepsPerCharacter = 20;

interface PlainPhrase {
  readonly text: string;
  readonly route: number;
}

/** The expression between the slashes, if the phrase is one. */
export function patternOf(phrase: string): string | undefined {
  return /^\/.+\/$/s.test(phrase) ? phrase.slice(1, -1) : undefined;
}

/** Why a phrase can never match, as a validation message. */
export function phraseIssues(phrase: string): string[] {
  const pattern = patternOf(phrase);
  if (pattern === undefined) return searchable(phrase) === '' ? ['must contain more than punctuation'] : [];
  return patternIssues([{ find: pattern, isRegex: true }]).map(({ message }) => message);
}

/** What only some words need is made for the first of them: most skills of a flow are never reached in a call. */
export function compilePhrases(routes: readonly (readonly string[])[], language: string): Phrases {
  const plain: PlainPhrase[] = [];
  const patterns: { readonly pattern: string; readonly route: number }[] = [];
  routes.forEach((phrases, route) => {
    for (const phrase of phrases) {
      const pattern = patternOf(phrase);
      if (pattern !== undefined) patterns.push({ pattern: inLowerCase(pattern), route });
      else plain.push({ text: searchable(phrase), route });
    }
  });
  // Sorting is stable: phrases of the same length stay in the order of the list.
  const byLength = plain.filter(({ text }) => text !== '').sort((one, other) => other.text.length - one.text.length);
  let fillers: Fillers | undefined;
  let compiled: readonly { readonly expression: RE2JS | undefined; readonly route: number }[] | undefined;

  const matches = (words: string, work = new Work()): readonly PhraseMatch[] => {
    fillers ??= fillersBesides(
      [...byLength.map(({ text }) => text), ...patterns.map(({ pattern }) => pattern)],
      language,
    );
    const heard = stripFillers(bothEnds(words), fillers);
    if (heard === '') return [];
    const longest = new Map<number, string>();
    work.take(stepsPerCharacter * heard.length);
    const contains = createPhraseSearch(searchable(heard), work);
    for (const phrase of byLength) {
      if (!longest.has(phrase.route) && contains(phrase.text)) longest.set(phrase.route, phrase.text);
    }
    compiled ??= patterns.map(({ pattern, route }) => ({ expression: compile(pattern), route }));
    const folded = compiled.length === 0 ? '' : fold(heard);
    for (const { expression, route } of compiled) {
      if (expression === undefined || work.isExceeded) continue;
      const found = searchable(longestMatch(expression, folded, work));
      if (found.length > (longest.get(route)?.length ?? 0)) longest.set(route, found);
    }
    if (work.isExceeded) return [];
    return [...longest]
      .map(([route, found]) => ({ route, text: found }))
      .sort((one, other) => other.text.length - one.text.length || one.route - other.route);
  };
  return { match: (words, work) => matches(words, work)[0]?.route, matches };
}

/** What phrases see of a text. */
export function bothEnds(words: string): string {
  if (words.length <= shortLength) return words;
  // A single character can stand for a whole phrase.
  return withoutMiddle(withoutMiddle(words).normalize('NFKC'));
}

function withoutMiddle(text: string): string {
  return text.length <= 2 * seenLength ? text : text.slice(0, seenLength) + gap + text.slice(-seenLength);
}

/** What a phrase contains is no filler. */
function fillersBesides(phrases: readonly string[], language: string): Fillers {
  const contents = phrases.map(searchable).join('\n');
  return fillersOf(language, (filler) => contents.includes(filler));
}

/** A pattern that does not compile is rejected when an agent is published; one that is older never matches. */
function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, RE2JS.LONGEST_MATCH);
  } catch {
    return undefined;
  }
}

/** The words are in lower case, so the literals of a pattern must be, too; escapes, flags and names of groups stay. */
function inLowerCase(pattern: string): string {
  const kept = /\\[pPx]\{[^}]*\}|\\[pP].|\\.|\(\?P?<[^>]*>|\(\?[a-zA-Z-]*/.source;
  return pattern.replace(new RegExp(`${kept}|[A-Z]`, 'gs'), (part) => (part.length === 1 ? part.toLowerCase() : part));
}
