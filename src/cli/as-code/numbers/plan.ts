import type { Agent, Carrier, PhoneNumber, VoiceAgents } from '../../../../sdk/src/index.ts';
import type { AgentFile } from '../agent-file.ts';
import type { PlannedItem } from '../beside/planned-item.ts';
import { changesBetween } from '../changes.ts';
import { compare } from '../file-names.ts';
import type { PlanOptions } from '../plan.ts';
import type { WorkspaceState } from '../state.ts';
import {
  digestOfNumber,
  type NumberContent,
  type NumberFile,
  numberContentOf,
  type References,
} from './number-file.ts';

export interface PlannedNumber extends PlannedItem {
  readonly number: string;
  /** Null if the file was removed. */
  readonly file: NumberFile | null;
  /** On the server. */
  readonly seen: PhoneNumber | null;
}

export interface NumberPlan {
  readonly items: readonly PlannedNumber[];
  /** Numbers on the server without a file. */
  readonly unmanaged: readonly PhoneNumber[];
  readonly carriers: readonly Carrier[];
}

export const emptyNumberPlan: NumberPlan = { items: [], unmanaged: [], carriers: [] };

export interface SeenNumbers {
  readonly numbers: readonly PhoneNumber[];
  readonly carriers: readonly Carrier[];
}

export async function readNumbers(client: VoiceAgents): Promise<SeenNumbers> {
  const numbers: PhoneNumber[] = [];
  const carriers: Carrier[] = [];
  for await (const phoneNumber of client.phoneNumbers.list({ limit: 200 })) numbers.push(phoneNumber);
  for await (const carrier of client.carriers.list({ limit: 200 })) carriers.push(carrier);
  return { numbers: numbers.sort((a, b) => compare(a.number, b.number)), carriers };
}

/** Names instead of ids, where they are clear. */
export function referencesOf(state: WorkspaceState, carriers: readonly Carrier[]): References {
  const files = new Map([...state.agents].map(([file, { id }]) => [id, file]));
  const names = Map.groupBy(carriers, ({ name }) => name);
  return {
    agent: (id) => files.get(id) ?? id,
    carrier: (id) => {
      const name = carriers.find((carrier) => carrier.id === id)?.name;
      return name !== undefined && names.get(name)?.length === 1 ? name : id;
    },
  };
}

export interface NumberPlanInput {
  readonly files: readonly NumberFile[];
  readonly agentFiles: ReadonlyMap<string, AgentFile>;
  readonly agents: Iterable<Agent>;
  readonly seen: SeenNumbers;
  readonly state: WorkspaceState;
  readonly options: PlanOptions;
}

/** Computes the changes that bring the numbers in line with the files. Has no side effects. */
export function planNumbers(input: NumberPlanInput): NumberPlan {
  const { files, seen, state, options } = input;
  const { numbers, carriers } = seen;
  const byNumber = new Map(numbers.map((one) => [one.number, one]));
  const items = files.flatMap((file) =>
    file.content === null ? [] : [planFile(file, file.content, byNumber.get(file.content.number) ?? null, input)],
  );
  const inFiles = new Set(items.map(({ number }) => number));
  for (const [number, entry] of state.numbers) {
    const found = byNumber.get(number);
    if (inFiles.has(number) || found === undefined) continue;
    const isChanged = digestOfNumber(found) !== entry.content;
    const isDeleting = options.delete === true;
    const obstacle =
      isDeleting && isChanged && !options.force ? 'changed on the server since the last pull: use --force' : null;
    const rest = { file: null, seen: found, changes: [], obstacle, isConflict: obstacle !== null };
    items.push({ number, action: isDeleting ? 'delete' : 'none', ...rest });
  }
  const unmanaged = numbers.filter(({ number }) => !inFiles.has(number) && !state.numbers.has(number));
  return { items: items.sort((a, b) => compare(a.number, b.number)), unmanaged, carriers };
}

function planFile(
  file: NumberFile,
  content: NumberContent,
  seen: PhoneNumber | null,
  input: NumberPlanInput,
): PlannedNumber {
  const { state, options } = input;
  const { number } = content;
  const entry = state.numbers.get(number);
  const base = { number, file, seen, isConflict: false };
  const current = seen === null ? {} : numberContentOf(seen, referencesOf(state, input.seen.carriers));
  const changes = changesBetween(
    current,
    seen === null ? content : withCarrierOf(current as NumberContent, content, input),
  );
  if (seen !== null && changes.length === 0) return { ...base, action: 'none', changes, obstacle: null };
  const isDrift = seen === null ? entry !== undefined : entry !== undefined && entry.content !== digestOfNumber(seen);
  const drift =
    seen === null
      ? 'deleted on the server since the last pull: use --force to import it again'
      : 'changed on the server since the last pull: run "pull" to get the changes, or use --force to overwrite them';
  const conflict = isDrift && options.force !== true ? drift : null;
  const obstacle = conflict ?? problemOf(content, seen, input);
  return { ...base, action: seen === null ? 'import' : 'update', changes, obstacle, isConflict: conflict !== null };
}

/** A carrier that is named by its id is no change. */
function withCarrierOf(current: NumberContent, content: NumberContent, { seen }: NumberPlanInput): NumberContent {
  const carrier = carrierOf(content.carrier, seen.carriers);
  return carrier !== undefined && carrier === carrierOf(current.carrier, seen.carriers)
    ? { ...content, carrier: current.carrier }
    : content;
}

/** By its id, or by a name that only one has. */
export function carrierOf(given: string, carriers: readonly Carrier[]): Carrier | undefined {
  const [first, second] = carriers.filter(({ id, name }) => id === given || name === given);
  return second === undefined ? first : undefined;
}

function problemOf(content: NumberContent, seen: PhoneNumber | null, input: NumberPlanInput): string | null {
  const carrier = carrierOf(content.carrier, input.seen.carriers);
  if (carrier === undefined) {
    return `carrier: there is no carrier with this name, or several: connect it with "voice-agents carriers create"`;
  }
  if (seen !== null && seen.carrierId !== carrier.id) {
    return 'carrier: a number cannot move to another carrier: delete it, then import it again';
  }
  const ids = new Set([...input.agents].map(({ id }) => id));
  const { agent } = content.inbound;
  const unknown = [...(agent === null ? [] : [agent]), ...content.outbound.agents].find(
    (name) => !input.agentFiles.has(name) && !ids.has(name),
  );
  return unknown === undefined ? null : `there is no agent file ${unknown}`;
}
