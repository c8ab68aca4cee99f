import type { Turn } from '../../../contract/calls/turn.ts';
import { type AnalysisItem, cut, maxText } from './task.ts';

interface Line {
  readonly value: string;
  readonly evidence: { readonly turns: readonly number[]; readonly quote: string; readonly rationale: null };
}

/** The output of the model `test-extract`: lines such as `guests: 2` in what the caller said. */
export function extractedLines(items: readonly AnalysisItem[], turns: readonly Turn[]): Record<string, unknown> {
  const caller = turns.filter(({ role }) => role === 'caller');
  const lines = linesOf(caller);
  const json = (name: string) => parsed(lines.get(name)?.value);
  const text = (name: string) => lines.get(name)?.value ?? null;
  const evidence = (name: string) => lines.get(name)?.evidence ?? null;
  const isJson = ({ type }: AnalysisItem) => type === 'number' || type === 'boolean';
  return {
    summary: text('summary') ?? cut(caller.map((turn) => turn.text).join('\n'), maxText),
    successful: json('successful'),
    sentiment: text('sentiment'),
    data: Object.fromEntries(items.map((item) => [item.name, isJson(item) ? json(item.name) : text(item.name)])),
    evidence: {
      successful: evidence('successful'),
      sentiment: evidence('sentiment'),
      data: Object.fromEntries(items.map(({ name }) => [name, evidence(name)])),
    },
  };
}

/** The last line of each name. */
function linesOf(turns: readonly Turn[]): ReadonlyMap<string, Line> {
  const lines = new Map<string, Line>();
  for (const { index, text } of turns) {
    for (const line of text.split(/\r?\n/)) {
      // A name may contain a colon itself, so that every one may be the last of it.
      for (const { index: place } of line.matchAll(/[:：]/g)) {
        const name = line.slice(0, place).trim();
        const value = line.slice(place + 1).trim();
        lines.set(name, { value, evidence: { turns: [index], quote: line.trim(), rationale: null } });
      }
    }
  }
  return lines;
}

/** As it is written if it is not JSON, so that the checks find it. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
