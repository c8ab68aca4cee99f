import { patternCost } from '../../../contract/agents/pattern-cost.ts';
import { searchable } from '../../understanding/fold.ts';
import { phraseIssues as issuesOfPhrase, patternOf } from '../../understanding/phrases.ts';
import type { FlowIssue, FlowParts } from './flow-parts.ts';

/** In microseconds, for all phrases of a flow: a call must not wait until they are compiled. */
const maxPatternCost = 100_000;

/** Lists of phrases of which one applies, in the order in which they are compared. */
interface PhraseList {
  readonly path: readonly (string | number)[];
  readonly phrases: readonly string[];
  /** The same in the form in which equal ones are equal. */
  readonly keys: readonly string[];
}

/** A route that an equal phrase shadows is an error; an option of a question is a warning, because others may match. */
export function phraseIssues(parts: FlowParts) {
  const anytime = parts.anytime.map(({ index, route }) => phraseList(['anytime', index, 'when'], route.when));
  const routes: PhraseList[][] = [];
  const options: PhraseList[][] = [];
  for (const { index, skill } of parts.skills) {
    const path = ['skills', index];
    if (skill.type === 'choose') {
      routes.push(skill.routes.map(({ when }, route) => phraseList([...path, 'routes', route, 'when'], when)));
    } else if (skill.type === 'ask' && skill.options !== undefined) {
      options.push(skill.options.map(({ say }, option) => phraseList([...path, 'options', option, 'say'], say)));
    }
  }
  const before = firstOccurrences(anytime);
  return {
    errors: [
      ...invalidPhrases([...anytime, ...routes.flat(), ...options.flat()]),
      ...shadowed(anytime, new Map()),
      ...routes.flatMap((lists) => shadowed(lists, before)),
    ],
    warnings: options.flatMap((lists) => shadowed(lists, before)),
  };
}

/** Phrases that can never match. Compiling is not linear, so that the cost of all of them is checked first. */
function invalidPhrases(lists: readonly PhraseList[]): FlowIssue[] {
  const patterns = lists.flatMap(({ phrases }) => phrases.flatMap((phrase) => patternOf(phrase) ?? []));
  if (patterns.reduce((sum, pattern) => sum + patternCost(pattern), 0) > maxPatternCost) {
    const message =
      'has regular expressions that are too complex in total: use smaller repetition counts, or plain phrases';
    return [{ path: [], message }];
  }
  return lists.flatMap(({ path, phrases, keys }) =>
    phrases.flatMap((phrase, index) => {
      // A plain phrase with a key is fine, which is known already.
      if (patternOf(phrase) === undefined && keys[index] !== '') return [];
      return issuesOfPhrase(phrase).map((message) => ({ path: [...path, index], message }));
    }),
  );
}

type Place = { readonly list: PhraseList; readonly index: number };

/** Phrases that an earlier one in another list equals, so that they are never the ones that match. */
function shadowed(lists: readonly PhraseList[], before: ReadonlyMap<string, Place>): FlowIssue[] {
  const own = firstOccurrences(lists);
  const issues: FlowIssue[] = [];
  for (const list of lists) {
    for (const [index, key] of list.keys.entries()) {
      const earlier = before.get(key) ?? own.get(key);
      if (key === '' || earlier === undefined || earlier.list === list) continue;
      const place = [...earlier.list.path, earlier.index].join('.');
      const order = before.has(key) ? ' and is checked first' : '';
      issues.push({ path: [...list.path, index], message: `is never matched: ${place} is the same${order}` });
    }
  }
  return issues;
}

function firstOccurrences(lists: readonly PhraseList[]): Map<string, Place> {
  const first = new Map<string, Place>();
  for (const list of lists) {
    for (const [index, key] of list.keys.entries()) if (!first.has(key)) first.set(key, { list, index });
  }
  return first;
}

function phraseList(path: readonly (string | number)[], phrases: readonly string[]): PhraseList {
  return { path, phrases, keys: phrases.map(comparable) };
}

/** Equal for phrases that match the same words: width, case and kana do not matter, except in a regular expression. */
function comparable(phrase: string): string {
  return patternOf(phrase) === undefined ? searchable(phrase) : phrase;
}
