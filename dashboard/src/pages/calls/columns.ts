import { useState } from 'react';
import type { Call } from '../../../../sdk/src/index.ts';
import { callValue } from '../../../../src/core/call-columns.ts';

const storageName = 'voice-agents-call-columns';
const maxColumns = 6;

const sources = [
  ['collectedVariables.', (call: Call) => call.collectedVariables],
  ['analysis.data.', (call: Call) => call.analysis.data],
  ['metadata.', (call: Call) => call.metadata],
] as const;

/** The collected values that are shown as columns, kept by the browser. */
export function useChosenColumns(): readonly [readonly string[], (names: readonly string[]) => void] {
  const [names, setNames] = useState(readChosen);
  const choose = (chosen: readonly string[]) => {
    const kept = chosen.slice(-maxColumns);
    setNames(kept);
    try {
      localStorage.setItem(storageName, JSON.stringify(kept));
    } catch {
      // A browser that stores nothing keeps them until the page is closed.
    }
  };
  return [names, choose];
}

function readChosen(): readonly string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    if (!Array.isArray(names)) return [];
    return names.filter((name) => typeof name === 'string' && sources.some(([prefix]) => name.startsWith(prefix)));
  } catch {
    return [];
  }
}

/** The names of the values that these calls have, with those that are chosen. */
export function columnsOf(calls: readonly Call[], chosen: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const call of calls) {
    for (const [prefix, valuesOf] of sources) for (const name of Object.keys(valuesOf(call))) names.add(prefix + name);
  }
  return [...new Set([...[...names].sort().slice(0, 200), ...chosen])];
}

/** The value of a column as text; null if the call has none. */
export function textOf(call: Call, name: string): string | null {
  const value = callValue(call, name);
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The end of a name, which is what people know it by. */
export function shortName(name: string): string {
  const [prefix] = sources.find(([each]) => name.startsWith(each)) ?? [''];
  return name.slice(prefix.length);
}
