import { parse, stringify } from 'yaml';
import type { Call, RunSimulation, Turn } from '../../../../sdk/src/index.ts';
import { isRecord } from '../../parts/json-value.ts';

/** What a simulation needs of what was typed or pasted. */
export type ReadScript =
  | { readonly script: RunSimulation['script']; readonly cassette: RunSimulation['cassette'] }
  /** `yaml`: not YAML or JSON. `shape`: it has no steps. */
  | { readonly problem: 'empty' | 'yaml' | 'shape'; readonly detail: string };

/** A script as a file has it, in YAML or JSON, or only its steps. */
export function readScript(text: string): ReadScript {
  if (text.trim() === '') return { problem: 'empty', detail: '' };
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    return { problem: 'yaml', detail: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' };
  }
  const script = Array.isArray(value) ? { steps: value } : value;
  if (!isRecord(script) || !Array.isArray(script.steps)) return { problem: 'shape', detail: '' };
  // The agent is the one that is edited.
  const { agent: _, cassette, ...rest } = script;
  return { script: rest as unknown as RunSimulation['script'], cassette: cassette as RunSimulation['cassette'] };
}

/** A call as a script that repeats it, and expects what the agent said. Null: it is too long. */
export async function recordedScript(call: Call, turns: readonly Turn[], language: string): Promise<string | null> {
  const { scriptOfCall } = await import('../../../../src/voice/simulation/from-call/script.ts');
  const script = scriptOfCall({ ...call, language, turns } as unknown as Parameters<typeof scriptOfCall>[0]);
  if (script === null) return null;
  const { agent: _, ...rest } = script;
  return stringify(rest, { lineWidth: 0 });
}
