import type { Command, Option } from 'commander';
import { allScopes, isScope, type Scope } from '../../contract/scopes.ts';
import type { CommandOptions } from '../connection/connection.ts';
import { connectionOptions, type Declaration, type OptionWords, type Run, requiredOption } from '../declaration.ts';
import { CommandError, invalidUsage } from '../failures.ts';
import { pageOptions } from '../resources/commands.ts';
import { listOf } from '../resources/ids.ts';
import type * as onDatabase from './database-keys.ts';

interface TargetOptions extends CommandOptions {
  readonly service?: boolean;
  readonly workspace?: string;
}

const keyOptions: readonly (OptionWords | Option)[] = [
  ['--json', 'print JSON, one key per line'],
  ['--service', 'use the service that you are logged in to, not the database'],
  ...connectionOptions,
];

/** On the database, or on a service with the login. */
export const keyCommands: readonly Declaration[] = [
  {
    name: 'keys',
    description: 'manage API keys, in the database or on a service',
    about: `These commands work on the database in DATABASE_URL, whether or not the service
is running. With --service, they use the service that you are logged in to, and
the workspace of your key. --profile and --base-url imply --service.

Examples:
  voice-agents keys create --workspace shop --scopes agents:read,agents:write
  voice-agents keys list --workspace shop
  voice-agents keys list --service
  voice-agents keys create --service --scopes calls:read --name "Export"`,
  },
  {
    name: 'keys create',
    description: 'create an API key, and its workspace if needed; the secret is shown only once',
    options: [
      ['--workspace <name>', 'the workspace of the key; required without --service', parseText('--workspace', 1)],
      requiredOption('--scopes <list>', `scopes, separated by commas: ${allScopes.join(',')}`).argParser(parseScopes),
      ['--name <text>', 'a label for the key', parseText('--name', 0)],
      ...keyOptions,
    ],
    run: onTarget('createKey'),
  },
  {
    name: 'keys list',
    description: 'list API keys, without their secrets',
    options: [
      ...pageOptions,
      ['--workspace <name>', 'only the keys of this workspace; not with --service'],
      ...keyOptions,
    ],
    run: onTarget('listKeys'),
  },
  {
    name: 'keys get <key-id>',
    alias: 'show',
    description: 'show an API key, without its secret',
    options: keyOptions,
    run: onTarget('getKey'),
  },
  {
    name: 'keys revoke <key-id>',
    alias: 'delete',
    description: 'revoke an API key; all instances reject it within a second',
    options: keyOptions,
    run: onTarget('revokeKey'),
  },
  {
    name: 'keys rotate <key-id>',
    description: 'replace an API key; the old one stays valid for the grace period',
    options: [
      ['--grace <time>', 'how long the old key stays valid, such as 0s, 30m, 24h or 7d', parseDuration, 24 * 3_600_000],
      ...keyOptions,
    ],
    run: onTarget('rotateKey'),
  },
];

/** Both modules have the same functions. They are loaded on demand: other commands start without the database code. */
function onTarget(name: keyof typeof onDatabase): Run {
  return async (context, ...given) => {
    const [options, command] = given.slice(-2) as [TargetOptions, Command];
    const isOnService = isForService(options, command);
    if (isOnService && options.workspace !== undefined) {
      throw invalidUsage('--workspace is for the database: on a service, the workspace is that of your key');
    }
    const work = isOnService ? await import('./service-keys.ts') : await import('./database-keys.ts');
    await (work[name] as (...given: unknown[]) => Promise<void>)(...given.slice(0, -1), context);
  };
}

/** Variables in the environment do not count: they are there for other commands. */
function isForService({ service = false }: TargetOptions, command: Command): boolean {
  return service || ['profile', 'baseUrl'].some((option) => command.getOptionValueSource(option) === 'cli');
}

function parseText(option: string, least: number): (text: string) => string {
  return (text) => {
    const length = [...text].length;
    if (length >= least && length <= 255 && !text.includes('\0') && text.isWellFormed()) return text;
    throw new CommandError(`${option} must be ${least} to 255 characters of text`);
  };
}

function parseScopes(text: string): Scope[] {
  const given = [...new Set(listOf(text))];
  const unknown = given.filter((scope) => !isScope(scope));
  if (given.length > 0 && unknown.length === 0) return given.filter(isScope);
  const issue = given.length === 0 ? '--scopes must name at least one' : `unknown scope ${unknown.join(', ')}`;
  throw new CommandError(`${issue}. Available scopes: ${allScopes.join(', ')}`);
}

function parseDuration(text: string): number {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(text);
  if (match === null) throw new CommandError('--grace must be a duration such as 0s, 30m, 24h or 7d');
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 's' | 'm' | 'h' | 'd'];
  return Number(match[1]) * unit;
}
