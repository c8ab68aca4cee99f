import { sentiments } from '../../../contract/calls/analysis.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import { parseForeignJson } from '../../../contract/foreign-json.ts';
import { isObject } from '../../../contract/json-object.ts';
import { toolText } from './messages.ts';
import {
  type AnalysisIssue,
  type AnalysisItem,
  cut,
  type Evidence,
  type Findings,
  maxQuote,
  maxText,
  type Sentiment,
} from './task.ts';

type Json = Readonly<Record<string, unknown>>;

/** The JSON object in what a model wrote; null if there is none. */
export function jsonIn(output: string): Json | null {
  const text = output.trim();
  // Some models put it in a code block, or add a sentence.
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      const value = parseForeignJson(candidate);
      if (isObject(value)) return value;
    } catch {
      // Tried differently, or reported as no JSON.
    }
  }
  return null;
}

/** What may stay of the output. Nothing is converted, and names that were not requested are dropped. */
export function readOutput(output: Json, items: readonly AnalysisItem[], turns: readonly Turn[]): Findings {
  const reader = new OutputReader(turns);
  const data = isObject(output.data) ? output.data : {};
  const proofs = isObject(output.evidence) ? output.evidence : {};
  const dataProofs = isObject(proofs.data) ? proofs.data : {};
  const summary = reader.value('summary', output, 'summary', textIssue) as string | null;
  const successful = reader.value('successful', output, 'successful', booleanIssue) as boolean | null;
  const sentiment = reader.value('sentiment', output, 'sentiment', sentimentIssue) as Sentiment;
  const values = items.map((item) => {
    const given = reader.value(`data.${item.name}`, data, item.name, (found) => itemIssue(found, item));
    const value = given as Findings['data'][string];
    return [item.name, typeof value === 'string' && item.type === 'string' ? cut(value, maxText) : value] as const;
  });
  const evidence = {
    successful: reader.evidence('successful', successful, own(proofs, 'successful')),
    sentiment: reader.evidence('sentiment', sentiment, own(proofs, 'sentiment')),
    data: Object.fromEntries(
      values.map(([name, value]) => [name, reader.evidence(`data.${name}`, value, own(dataProofs, name))]),
    ),
  };
  return {
    summary: summary === null ? null : cut(summary, maxText),
    successful,
    sentiment,
    data: Object.fromEntries(values),
    evidence,
    issues: reader.issues,
  };
}

type Check = (value: unknown) => Omit<AnalysisIssue, 'field'> | null;

class OutputReader {
  readonly issues: AnalysisIssue[] = [];
  readonly #turns: ReadonlyMap<number, Turn>;
  /** By turn: many quotes may be from the same one. */
  readonly #foldedTurns = new Map<number, string>();

  constructor(turns: readonly Turn[]) {
    this.#turns = new Map(turns.map((turn) => [turn.index, turn]));
  }

  value(field: string, object: Json, name: string, check: Check): unknown {
    const value = own(object, name);
    if (value === undefined) {
      this.issues.push({ field, code: 'missing', message: 'is missing' });
      return null;
    }
    if (value === null) return null;
    const issue = check(value);
    if (issue === null) return value;
    this.issues.push({ field, ...issue });
    return null;
  }

  /** A quote must be in one of the turns that it names; otherwise the value stays without it. */
  evidence(field: string, value: unknown, given: unknown): Evidence | null {
    if (value === null || given === undefined || given === null) return null;
    const evidence = isObject(given) ? this.#verified(given) : null;
    if (evidence === null) {
      const message = 'has a quote that is not in the transcript';
      this.issues.push({ field, code: 'unsupported_by_transcript', message });
    }
    return evidence;
  }

  #folded(index: number): string {
    const known = this.#foldedTurns.get(index);
    if (known !== undefined) return known;
    const turn = this.#turns.get(index);
    const text = turn === undefined ? '' : folded(textOf(turn));
    this.#foldedTurns.set(index, text);
    return text;
  }

  #verified({ turns, quote, rationale = null }: Json): Evidence | null {
    if (!Array.isArray(turns) || typeof quote !== 'string' || folded(quote) === '') return null;
    const known = [...new Set(turns)].filter((index): index is number => this.#turns.has(index as number));
    const words = folded(quote);
    if (!known.some((index) => this.#folded(index).includes(words))) return null;
    return {
      turns: known,
      quote: cut(quote, maxQuote),
      rationale: typeof rationale === 'string' && rationale !== '' ? cut(rationale, maxQuote) : null,
    };
  }
}

/** What a turn says, to the model too. */
function textOf({ text, toolCall }: Turn): string {
  return toolCall === null ? text : toolText(toolCall);
}

/** The same words may be written differently in a quote: width and white space do not count. */
function folded(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, '');
}

const wrongType = (message: string) => ({ code: 'wrong_type', message }) as const;

const textIssue: Check = (value) => (typeof value === 'string' ? null : wrongType('must be a text'));
const booleanIssue: Check = (value) => (typeof value === 'boolean' ? null : wrongType('must be true, false or null'));
const sentimentIssue: Check = (value) => optionIssue(value, sentiments);

function itemIssue(value: unknown, { type, options = [] }: AnalysisItem): ReturnType<Check> {
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : wrongType('must be a number');
    case 'boolean':
      return booleanIssue(value);
    case 'enum':
      return optionIssue(value, options);
    case 'string':
      return textIssue(value);
    default:
      return type satisfies never;
  }
}

function optionIssue(value: unknown, options: readonly string[]): ReturnType<Check> {
  if (typeof value !== 'string') return wrongType('must be a text');
  return options.includes(value) ? null : { code: 'not_an_option', message: 'must be one of the options' };
}

/** Never something inherited, such as `constructor`. */
function own(object: Json, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
