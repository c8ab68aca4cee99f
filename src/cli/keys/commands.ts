import type { Command } from 'commander';
import { allScopes, isScope, type Scope } from '../../contract/scopes.ts';
import { addConnectionOptions, type CommandOptions } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { CommandError, invalidUsage } from '../failures.ts';
import { addPageOptions } from '../resources/commands.ts';
import { checkedId } from '../resources/ids.ts';
import { resourceOperation } from '../resources/operations.ts';
import type { ResourceOptions } from '../resources/work.ts';
import type { CreateKeyOptions, ListKeysOptions, RotateKeyOptions } from './options.ts';

interface TargetOptions extends CommandOptions {
  readonly service?: boolean;
}

const help = `
These commands work on the database itself, whether or not the service is
running; DATABASE_URL says which one. With --service they use the service that
you are logged in to, and the workspace of your key; --profile and --base-url
imply it.

Examples:
  voice-agents keys create --workspace shop --scopes agents:read,agents:write
  voice-agents keys list --workspace shop
  voice-agents keys list --service
  voice-agents keys create --service --scopes calls:read --name "Export"
`;

/** `voice-agents keys …`: on the database, or on a service with the login. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('manage API keys, in the database or on a service')
    .addHelpText('after', help);
  addCreate(keys, context);
  addReads(keys, context);
  addChanges(keys, context);
  for (const made of keys.commands) {
    made.option('--json', 'print JSON, one key per line');
    addConnectionOptions(made.option('--service', 'use the service that you are logged in to, not the database'));
  }
}

/** Loaded lazily, so that other commands start without the database code. */
const onDatabase = () => import('./database-keys.ts');
const onService = () => import('./service-keys.ts');

/** Variables in the environment do not count: they are there for other commands. */
function isForService({ service = false }: TargetOptions, command: Command): boolean {
  return service || ['profile', 'baseUrl'].some((option) => command.getOptionValueSource(option) === 'cli');
}

function addCreate(keys: Command, context: CommandContext): void {
  keys
    .command('create')
    .description('create an API key, and its workspace if needed; the secret is shown only once')
    .option('--workspace <name>', 'the workspace that the key belongs to; required without --service', (text) =>
      parseText('--workspace', text, 1),
    )
    .requiredOption('--scopes <list>', `comma-separated scopes: ${allScopes.join(',')}`, parseScopes)
    .option('--name <text>', 'a label for the key', (text) => parseText('--name', text, 0))
    .action(
      async (options: Omit<CreateKeyOptions, 'workspace'> & ListKeysOptions & TargetOptions, command: Command) => {
        const { workspace } = options;
        if (isForService(options, command)) {
          refuseWorkspace(workspace);
          return (await onService()).createServiceKey(options, context);
        }
        if (workspace === undefined) {
          throw invalidUsage('--workspace is required, or --service');
        }
        await print(context.stdout, await (await onDatabase()).createKey({ ...options, workspace }, context));
      },
    );
}

function addReads(keys: Command, context: CommandContext): void {
  const read = () => import('../resources/work.ts');
  addPageOptions(keys.command('list'))
    .description('list API keys, without their secrets')
    .option('--workspace <name>', 'only the keys of this workspace; not with --service')
    .action(async (options: ListKeysOptions & ResourceOptions & TargetOptions, command: Command) => {
      if (isForService(options, command)) {
        refuseWorkspace(options.workspace);
        return (await read()).listResource(resourceOperation('apiKeys.list'), [], options, context);
      }
      await print(context.stdout, await (await onDatabase()).listKeys(options, context));
    });

  keys
    .command('get <key-id>')
    .alias('show')
    .description('show an API key, without its secret')
    .action(async (id: string, options: TargetOptions, command: Command) => {
      if (isForService(options, command)) {
        return (await read()).getResource(resourceOperation('apiKeys.get'), [id], options, context);
      }
      await print(context.stdout, await (await onDatabase()).getKey(id, options, context));
    });
}

function addChanges(keys: Command, context: CommandContext): void {
  keys
    .command('revoke <key-id>')
    .alias('delete')
    .description('revoke an API key; all instances reject it within a second')
    .action(async (id: string, options: TargetOptions, command: Command) => {
      if (isForService(options, command)) {
        return (await onService()).revokeServiceKey(checkedId('key', id, 'key'), options, context);
      }
      await print(context.stdout, await (await onDatabase()).revokeKey(id, options, context));
    });

  keys
    .command('rotate <key-id>')
    .description('replace an API key; the old one stays valid for the grace period')
    .option(
      '--grace <time>',
      'how long the old key stays valid, such as 0s, 30m, 24h or 7d',
      parseDuration,
      24 * 3_600_000,
    )
    .action(async (id: string, options: RotateKeyOptions & TargetOptions, command: Command) => {
      if (isForService(options, command)) {
        return (await onService()).rotateServiceKey(checkedId('key', id, 'key'), options, context);
      }
      await print(context.stdout, await (await onDatabase()).rotateKey(id, options, context));
    });
}

function refuseWorkspace(workspace: string | undefined): void {
  if (workspace === undefined) return;
  throw invalidUsage('--workspace is for the database: on a service, the workspace is that of your key');
}

function parseText(option: string, text: string, least: number): string {
  const length = [...text].length;
  if (length < least || length > 255 || text.includes('\0') || !text.isWellFormed()) {
    throw new CommandError(`${option} must be ${least} to 255 characters of text`);
  }
  return text;
}

function parseScopes(text: string): Scope[] {
  const given = [...new Set(text.split(',').map((scope) => scope.trim()))].filter((scope) => scope !== '');
  const unknown = given.filter((scope) => !isScope(scope));
  if (given.length === 0 || unknown.length > 0) {
    const issue = given.length === 0 ? '--scopes must name at least one' : `unknown scope ${unknown.join(', ')}`;
    throw new CommandError(`${issue}. Available scopes: ${allScopes.join(', ')}`);
  }
  return given.filter(isScope);
}

function parseDuration(text: string): number {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(text);
  if (match === null) throw new CommandError('--grace must be a duration such as 0s, 30m, 24h or 7d');
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 's' | 'm' | 'h' | 'd'];
  return Number(match[1]) * unit;
}
