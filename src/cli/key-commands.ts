import type { Command } from 'commander';
import { allScopes, isScope, type Scope } from '../contract/scopes.ts';
import { CommandError } from './command-error.ts';
import type { CreateKeyOptions, JsonOption, ListKeysOptions, RotateKeyOptions } from './keys.ts';
import { print } from './output.ts';
import type { Surroundings } from './surroundings.ts';

/** `voice-agents keys …`: on the database itself, beside a running service or without one. */
export function addKeyCommands(program: Command, { environment, stdout }: Surroundings): void {
  const keys = program
    .command('keys')
    .description('make, show and end API keys, beside a running service or without one');
  const json = ['--json', 'print one line of JSON'] as const;

  keys
    .command('create')
    .description('make a key, and the workspace when it is new; the secret is shown this once')
    .requiredOption('--workspace <name>', 'the workspace that the key belongs to', parseWorkspace)
    .requiredOption('--scopes <list>', `what the key may do, with commas between: ${allScopes.join(',')}`, parseScopes)
    .option('--name <text>', 'a name to tell the key by', parseName)
    .option(...json)
    .action(async (options: CreateKeyOptions) => print(stdout, await (await work()).createKey(environment, options)));

  keys
    .command('list')
    .description('show every key, or those of one workspace; never a secret')
    .option('--workspace <name>', 'only the keys of this workspace')
    .option(...json)
    .action(async (options: ListKeysOptions) => print(stdout, await (await work()).listKeys(environment, options)));

  keys
    .command('revoke <key-id>')
    .description('end a key; every instance refuses it within a second')
    .option(...json)
    .action(async (id: string, options: JsonOption) =>
      print(stdout, await (await work()).revokeKey(environment, id, options)),
    );

  keys
    .command('rotate <key-id>')
    .description('make a new secret with the same rights; the old one goes on for the grace period')
    .option(
      '--grace <time>',
      'how long the old secret goes on, such as 0s, 30m, 24h or 7d',
      parseDuration,
      24 * 3_600_000,
    )
    .option(...json)
    .action(async (id: string, options: RotateKeyOptions) =>
      print(stdout, await (await work()).rotateKey(environment, id, options)),
    );
}

/** The database's parts are loaded when a command needs them, so that the others do not wait for them. */
const work = () => import('./keys.ts');

function parseWorkspace(text: string): string {
  return parseText('--workspace', text, 1);
}

function parseName(text: string): string {
  return parseText('--name', text, 0);
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
    throw new CommandError(`${issue}; there are ${allScopes.join(', ')}`);
  }
  return given.filter(isScope);
}

function parseDuration(text: string): number {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(text);
  if (match === null) throw new CommandError('--grace must be a time such as 0s, 30m, 24h or 7d');
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 's' | 'm' | 'h' | 'd'];
  return Number(match[1]) * unit;
}
