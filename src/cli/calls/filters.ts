import type { CallQuery, VoiceAgents } from '../../../sdk/src/index.ts';
import { findAgent } from '../agents/find.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';
import type { FilterOptions } from './options.ts';

/** The options as parameters of the service, which validates the values. */
export async function queryOf(client: VoiceAgents, options: FilterOptions): Promise<CallQuery> {
  const { agent, status, type, createdAfter, createdBefore } = options;
  const query = {
    agentId: agent === undefined ? undefined : (await findAgent(client, agent)).id,
    status: listOf(status),
    type: listOf(type),
    createdAfter: timeOf('--created-after', createdAfter),
    createdBefore: timeOf('--created-before', createdBefore),
  };
  return query as CallQuery;
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').map((value) => value.trim());
}

function timeOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw invalidUsage(
    `${option} must be a date or a time such as 2026-11-20 or 2026-11-20T09:00:00Z, not "${visible(text)}"`,
  );
}
