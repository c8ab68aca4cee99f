import type { Command } from 'commander';
import { allScopes, isScope, type Scope } from '../contract/scopes.ts';
import { CommandError } from './command-error.ts';
import type { CommandContext } from './context.ts';
import type { CreateKeyOptions, JsonOption, ListKeysOptions, RotateKeyOptions } from './keys.ts';
import { print } from './output.ts';

/** `voice-agents keys …`: works directly on the database, whether or not the service is running. */
export function addKeyCommands(program: Command, { environment, stdout }: CommandContext): void {
  const keys = program.command('keys').description('manage API keys in the database; the service may be running');
  const json = ['--json', 'print one line of JSON'] as const;

  keys
    .command('create')
    .description('create an API key, and its workspace if needed; the secret is shown only once')
    .requiredOption('--workspace <name>', 'the workspace that the key belongs to', (text) =>
      parseText('--workspace', text, 1),
    )
    .requiredOption('--scopes <list>', `comma-separated scopes: ${allScopes.join(',')}`, parseScopes)
    .option('--name <text>', 'a label for the key', (text) => parseText('--name', text, 0))
    .option(...json)
    .action(async (options: CreateKeyOptions) => print(stdout, await (await work()).createKey(environment, options)));

  keys
    .command('list')
    .description('list API keys, without their secrets')
    .option('--workspace <name>', 'only the keys of this workspace')
    .option(...json)
    .action(async (options: ListKeysOptions) => print(stdout, await (await work()).listKeys(environment, options)));

  keys
    .command('revoke <key-id>')
    .description('revoke an API key; all instances reject it within a second')
    .option(...json)
    .action(async (id: string, options: JsonOption) =>
      print(stdout, await (await work()).revokeKey(environment, id, options)),
    );

  keys
    .command('rotate <key-id>')
    .description('replace an API key; the old one stays valid for the grace period')
    .option(
      '--grace <time>',
      'how long the old key stays valid, such as 0s, 30m, 24h or 7d',
      parseDuration,
      24 * 3_600_000,
    )
    .option(...json)
    .action(async (id: string, options: RotateKeyOptions) =>
      print(stdout, await (await work()).rotateKey(environment, id, options)),
    );
}

/** Loaded lazily, so that other commands start without the database code. */
const work = () => import('./keys.ts');

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
