import { RE2JS, RE2JSSyntaxException } from 're2js';
import { patternCost } from '../../../contract/pattern-cost.ts';
import { fold } from '../../../core/folding.ts';
import type { FlowIssue, FlowParts } from './flow-parts.ts';
import { isPattern } from './variables.ts';

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
export function phraseIssues(parts: FlowParts): {
  readonly errors: readonly FlowIssue[];
  readonly warnings: readonly FlowIssue[];
} {
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
      ...patternIssues([...anytime, ...routes.flat(), ...options.flat()]),
      ...shadowed(anytime, new Map()),
      ...routes.flatMap((lists) => shadowed(lists, before)),
    ],
    warnings: options.flatMap((lists) => shadowed(lists, before)),
  };
}

function patternIssues(lists: readonly PhraseList[]): FlowIssue[] {
  const patterns = lists.flatMap(({ path, phrases }) =>
    phrases.flatMap((phrase, index) =>
      isPattern(phrase) ? [{ path: [...path, index], source: phrase.slice(1, -1) }] : [],
    ),
  );
  if (patterns.reduce((sum, { source }) => sum + patternCost(source), 0) > maxPatternCost) {
    const message =
      'has regular expressions that are too complex in total: use smaller repetition counts, or plain phrases';
    return [{ path: [], message }];
  }
  return patterns.flatMap(({ path, source }) => {
    try {
      RE2JS.compile(source);
      return [];
    } catch (error) {
      const reason = error instanceof RE2JSSyntaxException ? ` (${error.getDescription()})` : '';
      return [{ path, message: `is not a regular expression in RE2 syntax${reason}` }];
    }
  });
}

type Place = { readonly list: PhraseList; readonly index: number };

/** Phrases that an earlier one in another list equals, so that they are never the ones that match. */
function shadowed(lists: readonly PhraseList[], before: ReadonlyMap<string, Place>): FlowIssue[] {
  const own = firstOccurrences(lists);
  const issues: FlowIssue[] = [];
  for (const list of lists) {
    for (const [index, key] of list.keys.entries()) {
      const earlier = before.get(key) ?? own.get(key);
      if (earlier === undefined || earlier.list === list) continue;
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
  if (isPattern(phrase)) return phrase;
  return fold(phrase)
    .trim()
    .replace(/[ァ-ヶ]/g, (each) => String.fromCharCode(each.charCodeAt(0) - 0x60));
}
