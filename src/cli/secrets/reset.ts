import { type Reset, resetLost } from '../../app-lost-values.ts';
import { readDatabaseLocation, readDataKeySetting } from '../../config.ts';
import type { Database } from '../../storage/database.ts';
import { findLostKey, type LostValue, replaceLostKey } from '../../storage/lost-key.ts';
import { migrate, schemaOf } from '../../storage/migrate.ts';
import { isInUse } from '../../storage/open.ts';
import { type CommandContext, print } from '../context.ts';
import { requireDatabaseFile, withDatabase } from '../database.ts';
import { CommandError } from '../failures.ts';
import { confirm, requireTerminal } from '../terminal/dialog.ts';
import { counted, jsonLine, visible } from '../terminal/text.ts';

export interface ResetOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Recovers from a lost data key, in the database itself: the service does not start without the key. */
export async function resetSecrets(
  { yes = false, json = false }: ResetOptions,
  context: CommandContext,
): Promise<void> {
  const { environment, stdout, stderr } = context;
  if (!yes) requireTerminal(context);
  const location = readDatabaseLocation(environment);
  const given = readDataKeySetting(environment);
  requireDatabaseFile(location);
  if (await isInUse(location)) {
    throw new CommandError(
      'the database is in use by another process, which may have the key: stop the service first. Nothing was changed.',
    );
  }
  await withDatabase(location, context, async (database) => {
    await migrate(database, Date.now);
    // What a later version has sealed besides would be overlooked.
    await schemaOf(database, database.dialect);
    const found = await findLostKey(database, location, given);
    if (found === null) throw nothingToDo();
    if (!yes) {
      stderr.write(`${found.reason}.\n\n${describeLost(found.lost)}`);
      await confirm('Continue without the key?', 'nothing was changed', context);
    }
    const reset = await replaceLostKey(database, location, given, (queries, sealer, lost) =>
      resetLost({ database, queries, sealer }, lost),
    );
    if (reset === null) throw nothingToDo();
    await print(stdout, json ? jsonLine(reset) : await describeReset(database, reset));
  });
}

function nothingToDo(): CommandError {
  return new CommandError('nothing to do: the key can decrypt everything in the database');
}

function describeLost(lost: readonly LostValue[]): string {
  const count = (table: string) => new Set(lost.filter((value) => value.table === table).map(identity)).size;
  return [
    'Without the key, the following is lost, even if you restore the key later:\n',
    `  ${counted(count('webhooks'), 'webhook secret')}, replaced by new ones\n`,
    `  ${counted(count('secrets'), 'tool secret')}, deleted\n`,
    `  ${counted(count('provider_credentials'), 'provider key')}, deleted\n`,
    `  ${counted(count('carriers'), 'carrier')} without credentials, to be set again\n`,
    `  ${counted(count('calls'), 'open call')}, ended\n`,
    `  ${counted(count('idempotency_keys'), 'saved response')}, deleted\n`,
    `  ${counted(count('jobs'), 'job')}, ended\n\n`,
  ].join('');
}

const identity = ({ key }: LostValue): string => Object.values(key).join('/');

/** Lists everything that someone has to act on. */
async function describeReset(database: Database, reset: Reset): Promise<string> {
  const { webhooks, secrets, providers, carriers, calls, savedResponses, jobs } = reset;
  const rows = await database.all<{ id: string; name: string }>('SELECT id, name FROM workspaces');
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const line = (workspaceId: string, text: string) =>
    `  ${visible(names.get(workspaceId) ?? workspaceId)}  ${visible(text)}\n`;
  return [
    ...section('These webhooks have new secrets. Update their receivers:', webhooks, ({ workspaceId, id, url }) =>
      line(workspaceId, url === null ? id : `${id}  ${url}`),
    ),
    ...section('These tool secrets were deleted. Set them again:', secrets, ({ workspaceId, name }) =>
      line(workspaceId, name),
    ),
    ...section('These keys of providers were deleted. Set them again:', providers, ({ workspaceId, provider }) =>
      line(workspaceId, provider),
    ),
    ...section('These carriers have lost their credentials. Set them again:', carriers, ({ workspaceId, id }) =>
      line(workspaceId, id),
    ),
    ...section('These calls were ended:', calls, ({ workspaceId, id }) => line(workspaceId, id)),
    savedResponses === 0 ? '' : `${counted(savedResponses, 'saved response')} deleted.\n\n`,
    jobs === 0 ? '' : `${counted(jobs, 'job')} ended.\n\n`,
    'Existing access tokens and signed links are no longer valid. You can start the service.\n',
  ].join('');
}

function section<Item>(title: string, items: readonly Item[], lineOf: (item: Item) => string): string[] {
  return items.length === 0 ? [] : [`${title}\n`, ...items.map(lineOf), '\n'];
}
