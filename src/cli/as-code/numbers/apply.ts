import type { VoiceAgents } from '../../../../sdk/src/index.ts';
import { CommandError } from '../../failures.ts';
import { applyItems, changedSincePlan } from '../beside/apply.ts';
import type { Outcome } from '../beside/planned-item.ts';
import type { WorkspaceState } from '../state.ts';
import { digestOfNumber, type NumberContent } from './number-file.ts';
import { carrierOf, type NumberPlan, type PlannedNumber } from './plan.ts';

interface ApplyNumbersInput {
  readonly client: VoiceAgents;
  readonly plan: NumberPlan;
  readonly state: WorkspaceState;
  readonly save: () => Promise<void>;
  readonly isStopped: () => boolean;
}

/** After the agents, because a file may name an agent that was just created. */
export function applyNumbers({
  client,
  plan,
  state,
  save,
  isStopped,
}: ApplyNumbersInput): Promise<Outcome<PlannedNumber>[]> {
  return applyItems(plan.items, {
    remember: (item) => {
      if (item.seen !== null && item.file !== null) remember(state, item, item.seen);
    },
    apply: (item) => applyNumber(client, plan, item, state),
    save,
    isStopped,
  });
}

async function applyNumber(
  client: VoiceAgents,
  plan: NumberPlan,
  item: PlannedNumber,
  state: WorkspaceState,
): Promise<void> {
  const { number, seen } = item;
  if (item.action === 'delete') {
    const ifMatch = await unchangedTag(client, item);
    await client.phoneNumbers.delete(seen?.id ?? '', { ifMatch });
    state.numbers.delete(number);
    return;
  }
  const content = item.file?.content as NumberContent;
  const fields = requestOf(content, state);
  if (seen === null) {
    const carrierId = carrierOf(content.carrier, plan.carriers)?.id ?? '';
    remember(state, item, await client.phoneNumbers.import({ carrierId, number, ...fields }));
    return;
  }
  const ifMatch = await unchangedTag(client, item);
  remember(state, item, await client.phoneNumbers.update(seen.id, fields, { ifMatch }));
}

/** The ETag of the number, if it still is what the plan was made from. */
async function unchangedTag(client: VoiceAgents, { seen }: PlannedNumber): Promise<string | null> {
  const { data, response } = await client.phoneNumbers.get(seen?.id ?? '').withResponse();
  if (seen !== null && digestOfNumber(data) === digestOfNumber(seen)) return response.etag;
  throw changedSincePlan();
}

function remember(
  state: WorkspaceState,
  { number, file }: PlannedNumber,
  stored: Parameters<typeof digestOfNumber>[0],
) {
  state.numbers.set(number, { content: digestOfNumber(stored), file: file?.digest ?? '' });
}

function requestOf({ name, inbound, outbound }: NumberContent, state: WorkspaceState) {
  const { agent, ...answering } = inbound;
  const { agents, ...calling } = outbound;
  return {
    name,
    inbound: { ...answering, agentId: agent === null ? null : idOf(agent, state) },
    outbound: { ...calling, agentIds: agents.map((file) => idOf(file, state)) },
  };
}

/** A name without a file is an id. */
function idOf(file: string, state: WorkspaceState): string {
  const id = state.agents.get(file)?.id;
  if (id !== undefined) return id;
  if (file.startsWith('agt_')) return file;
  throw new CommandError(`the agent of ${file} could not be created`);
}
