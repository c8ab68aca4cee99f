import type { Call } from '../../../sdk/src/schema.ts';
import { connect } from '../connection/connection.ts';
import type { CommandContext, Format } from '../context.ts';
import { showPages } from '../resources/pages.ts';
import type { Cell } from '../terminal/table.ts';
import { describeDuration, describeTime } from '../terminal/time.ts';
import { queryOf } from './filters.ts';
import type { ListCallsOptions } from './options.ts';

const formats: Readonly<Partial<Record<Call['status'], Format>>> = {
  ongoing: 'green',
  error: 'red',
  not_connected: 'yellow',
};

export async function listCalls(options: ListCallsOptions, context: CommandContext): Promise<void> {
  const { client } = await connect(options, context.environment);
  const query = await queryOf(client, options);
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  await showPages((limit) => client.calls.list({ limit, ...query }), options, context, {
    head: ['ID', 'TYPE', 'STATUS', 'END', 'AGENT', 'VERSION', 'DURATION', 'CREATED'],
    row: (call) => [
      call.id,
      call.type,
      statusOf(call),
      call.endReason ?? '',
      call.agentId,
      `${call.agentVersion}${call.isDraft ? ' (draft)' : ''}`,
      call.durationMs === null ? '' : describeDuration(call.durationMs),
      describeTime(call.createdAt, context.stdout),
    ],
    table: { dispensable: ['AGENT', 'VERSION', 'END', 'TYPE', 'DURATION'] },
    none: isFiltered ? 'No calls match.\n' : 'No calls yet. Start one with "voice-agents chat".\n',
  });
}

function statusOf({ status }: Call): Cell {
  const format = formats[status];
  return format === undefined ? status : { text: status, format };
}
