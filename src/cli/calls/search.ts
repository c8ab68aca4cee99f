import type { VoiceAgents } from '../../../sdk/src/index.ts';
import { cellOf, type Item, viewOf } from '../resources/views.ts';
import { table } from '../terminal/table.ts';

/** The calls that a search has found, with the columns of a list. */
export async function describeCalls(
  calls: readonly Item[],
  stdout: NodeJS.WriteStream,
  client: VoiceAgents,
): Promise<string> {
  const { columns = {}, dispensable = [], elastic = 'NAME', load } = viewOf('calls.list');
  const loaded = await load?.(calls, client);
  const rows = calls.map((call) => Object.values(columns).map((column) => cellOf(column, call, loaded, stdout)));
  return table(Object.keys(columns), rows, { stream: stdout, elastic, dispensable });
}
