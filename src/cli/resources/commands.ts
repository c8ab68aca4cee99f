import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../context.ts';
import { addOptions, connectionOptions, declare, jsonOption, yesOption } from '../declaration.ts';
import { type Action, actions } from './actions.ts';
import {
  commandOf,
  kebab,
  optionName,
  type PathParameter,
  type QueryParameter,
  type ResourceOperation,
  type Verb,
  verbOf,
} from './operation.ts';
import type { ResourceOptions } from './work.ts';

/** What the commands of a resource are about, if there is more to say than the summaries of its operations. */
const descriptions: Readonly<Record<string, string>> = {
  audit: 'see who changed what',
  providers: 'list the speech providers of a service',
};

/** Deleting a secret does not ask for confirmation, because a secret in use cannot be deleted. */
const unconfirmed: readonly string[] = ['secrets.delete'];

/** Commands that people also know by another name. */
const aliases: Readonly<Record<string, string>> = { get: 'show' };

const defaultLimit = 50;

/**
 * The commands of `actions.ts`, and `voice-agents <resource> list|get|delete` for every operation that has no command of
 * its own. A resource inside another one is one command: `webhooks deliveries <id>` lists them, `webhooks deliveries <id>
 * <delivery-id>` shows one.
 */
export function addResourceCommands(
  program: Command,
  operations: readonly ResourceOperation[],
  context: CommandContext,
): void {
  for (const action of actions) addAction(program, action, context);
  const byCommand = Map.groupBy(operations, (operation) => Object.values(commandOf(operation)).join(' '));
  for (const same of byCommand.values()) {
    const { group: name, command } = commandOf(same[0] as ResourceOperation);
    const group = program.commands.find((each) => each.name() === name) ?? newGroup(program, name, same);
    group.configureHelp({ ...group.configureHelp(), sortSubcommands: true });
    const isTaken = group.commands.some((each) => each.name() === command || each.aliases().includes(command));
    if (!isTaken) addCommand(group, command, { same, all: operations }, context);
  }
}

function addAction(program: Command, action: Action, context: CommandContext): void {
  const [group = '', ...words] = action.name.split(' ');
  const parent =
    program.commands.find((each) => each.name() === group) ??
    program
      .command(group)
      .description(descriptions[group] ?? '')
      .helpGroup('Work with a service:');
  const options = [...(action.options ?? []), jsonOption, ...connectionOptions()];
  declare(parent, { ...action, name: words.join(' '), options }).action(async (...given: unknown[]) => {
    const { runAction } = await import('./work.ts');
    await runAction(action, given.slice(0, -2) as string[], given.at(-2) as ResourceOptions, context);
  });
}

function newGroup(program: Command, name: string, [first]: readonly ResourceOperation[]): Command {
  const description = descriptions[name] ?? descriptionOf(first as ResourceOperation);
  return program.command(name).description(description).helpGroup('Work with a service:');
}

function addCommand(
  group: Command,
  name: string,
  { same, all }: Record<'same' | 'all', readonly ResourceOperation[]>,
  context: CommandContext,
): void {
  const find = (verb: Verb) => same.find((operation) => verbOf(operation) === verb);
  const [list, get, remove] = [find('list'), find('get'), find('delete')];
  const main = (list ?? get ?? remove) as ResourceOperation;
  const optional = list === undefined || get === undefined ? [] : get.params.slice(list.params.length);
  const words = [
    name,
    ...main.params.map(({ name: param }, index) => {
      const isLast = main === remove && index === main.params.length - 1;
      return `<${kebab(param)}${isLast ? '...' : ''}>`;
    }),
    ...optional.map(({ name: param }) => `[${kebab(param)}]`),
  ];
  // A resource with nothing but a list needs no verb: `voice-agents providers`.
  const isDefault = all.filter((operation) => commandOf(operation).group === group.name()).length === 1;
  const made = group
    .command(words.join(' '), { isDefault: isDefault && group.commands.length === 0 })
    .description(`${descriptionOf(main)}${optional.length === 0 ? '' : ', or show one'}`);
  if (aliases[name] !== undefined) made.alias(aliases[name]);
  if (list?.isPaged) addPageOptions(made);
  addFilterOptions(made, main);
  if (get?.hasEtag && list === undefined) made.option('--etag', 'print only the ETag, for use with --if-match');
  if (remove !== undefined) addDeleteOptions(made, remove);
  made.option('--json', list === undefined ? 'print JSON' : 'print JSON, one item per line');
  addOptions(made, connectionOptions())
    .addHelpText('after', examplesOf(main, `voice-agents ${group.name()} ${name}`))
    .action(async (...given: unknown[]) => {
      const options = given.at(-2) as ResourceOptions;
      const values = given.slice(0, -2).filter((value) => value !== undefined) as (string | string[])[];
      const work = await import('./work.ts');
      if (remove !== undefined) {
        const canBeRead = all.some(({ id }) => id === remove.id.replace(/delete$/, 'get'));
        const confirmation = unconfirmed.includes(remove.id) ? null : { canBeRead };
        return work.deleteResources(remove, confirmation, values.flat(), options, context);
      }
      const isOne = list === undefined || values.length > list.params.length;
      const operation = (isOne ? get : list) as ResourceOperation;
      await work[isOne ? 'getResource' : 'listResource'](operation, values.flat(), options, context);
    });
}

/** The summary of an operation, as the description of a command. */
function descriptionOf({ summary }: ResourceOperation): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

export function addPageOptions(made: Command): Command {
  return made
    .option('--limit <number>', 'maximum number of results', parseCount, defaultLimit)
    .addOption(new Option('--all', 'show all results').conflicts('limit'));
}

/** An option for each parameter that narrows a list. */
export function addFilterOptions(made: Command, { id, query }: ResourceOperation): Command {
  for (const parameter of query) {
    const option = new Option(`--${optionName(parameter)} <${placeholderOf(parameter)}>`, parameter.description);
    if (id === 'calls.list' && parameter.name === 'agentId') {
      option.flags = '--agent <id-or-name>';
      option.description = 'only calls of this agent';
    }
    // The service checks the values: some options take several, separated by commas.
    if (parameter.values !== undefined) option.argChoices = [...parameter.values];
    made.addOption(option.makeOptionMandatory(parameter.isRequired ?? false));
  }
  return made;
}

function placeholderOf({ name, example, isList, isTime }: QueryParameter): string {
  if (isList) return 'list';
  if (isTime) return 'time';
  if (example.endsWith('_…')) return 'id';
  return name === 'q' ? 'text' : kebab(name);
}

function addDeleteOptions(made: Command, { id, hasEtag }: ResourceOperation): void {
  if (!unconfirmed.includes(id)) addOptions(made, [yesOption]);
  if (hasEtag) made.option('--if-match <etag>', 'only if it still has this ETag (see "get --etag")');
}

function examplesOf({ params, query, isPaged, ...operation }: ResourceOperation, command: string): string {
  const plain = [command, ...params.map(({ example }: PathParameter) => example)].join(' ');
  const filter = query.find(({ isRequired }) => !isRequired);
  const required = query.filter(({ isRequired }) => isRequired).map((each) => ` ${exampleOf(each)}`);
  const lines = [
    `${plain}${required.join('')}`,
    ...(filter === undefined ? [] : [`${plain} ${exampleOf(filter)}`]),
    ...(isPaged ? [`${plain} --all --json`] : []),
    ...(operation.id.endsWith('.delete') && !unconfirmed.includes(operation.id) ? [`${plain} --yes`] : []),
  ];
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function exampleOf(parameter: QueryParameter): string {
  return `--${optionName(parameter)} ${parameter.example}`;
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number of 1 or more.');
}
