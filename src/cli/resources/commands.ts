import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../context.ts';
import {
  childOf,
  connectionOptions,
  type Declaration,
  declare,
  jsonOption,
  type OptionWords,
  yesOption,
} from '../declaration.ts';
import type { Action } from './action.ts';
import {
  commandOf,
  kebab,
  optionName,
  type QueryParameter,
  type ResourceOperation,
  type Verb,
  verbOf,
} from './operation.ts';
import type { ResourceOptions } from './work.ts';

/** What the commands of a resource are about, if there is more to say than the summaries of its operations. */
const descriptions: Readonly<Record<string, string>> = {
  audit: 'see who changed what',
};

/** Deleting a secret does not ask for confirmation, because a secret in use cannot be deleted. */
const unconfirmed: readonly string[] = ['secrets.delete'];

/** Resources whose list needs no verb: `voice-agents providers`. */
const listedWithoutVerb: readonly string[] = ['providers'];

/** Commands that people also know by another name. */
const aliases: Readonly<Record<string, string>> = { get: 'show' };

/** The options of a list that comes in pages. */
export const pageOptions: NonNullable<Declaration['options']> = [
  ['--limit <number>', 'maximum number of results', parseCount, 50],
  new Option('--all', 'show all results').conflicts('limit'),
];

const etagOption: OptionWords = ['--etag', 'print only the ETag, for use with --if-match'];

/**
 * `voice-agents <resource> list|get|delete` for every operation that has no command of its own. A resource inside another
 * one is one command: `webhooks deliveries <id>` lists them, `webhooks deliveries <id> <delivery-id>` shows one. If its
 * list needs nothing, it may also be named: `analytics alerts list`.
 */
export function addResourceCommands(
  program: Command,
  operations: readonly ResourceOperation[],
  context: CommandContext,
): void {
  for (const operation of operations) {
    const { group: name } = commandOf(operation);
    const description = descriptions[name] ?? descriptionOf(operation);
    const group =
      childOf(program, name) ?? program.command(name).description(description).helpGroup('Work with a service:');
    group.configureHelp({ ...group.configureHelp(), sortSubcommands: true });
  }
  const byCommand = Map.groupBy(operations, (operation) => Object.values(commandOf(operation)).join(' '));
  for (const [name, same] of byCommand) {
    const [group = '', command = ''] = name.split(' ');
    const parent = childOf(program, group) as Command;
    if (childOf(parent, command) !== undefined) continue;
    const isDefault = command === 'list' && listedWithoutVerb.includes(group);
    declare(program, { ...commandFor(name, same, operations), isDefault }, context);
  }
}

/** The declaration of a row, which for an action has the options that all of them have. */
export function declarationOf(row: Declaration | Action): Declaration {
  if (!('send' in row)) return row;
  return {
    ...row,
    options: [...(row.options ?? []), jsonOption, ...connectionOptions],
    run: async (context, ...given) => {
      const { runAction } = await import('./work.ts');
      await runAction(row, given.slice(0, -2), given.at(-2), context);
    },
  };
}

/** The command for what can be done with one kind of resource: list or get it, or delete it. */
function commandFor(name: string, same: readonly ResourceOperation[], all: readonly ResourceOperation[]): Declaration {
  const find = (verb: Verb) => same.find((operation) => verbOf(operation) === verb);
  const [list, get, remove] = [find('list'), find('get'), find('delete')];
  const main = (list ?? get ?? remove) as ResourceOperation;
  const optional = list === undefined || get === undefined ? [] : get.params.slice(list.params.length);
  const args = [
    ...main.params.map((param) =>
      main === remove && param === main.params.at(-1) ? `<${kebab(param.name)}...>` : `<${kebab(param.name)}>`,
    ),
    ...optional.map((param) => `[${kebab(param.name)}]`),
  ];
  const { command } = commandOf(main);
  const alias = aliases[command];
  const isListNamed = list?.params.length === 0 && command !== 'list';
  return {
    name: [name, ...args].join(' '),
    ...(alias !== undefined && { alias }),
    ...(isListNamed && get === undefined && { argument: new Argument('[list]').choices(['list']) }),
    description: `${descriptionOf(main)}${optional.length === 0 ? '' : ', or show one'}`,
    options: [
      ...(list?.isPaged ? pageOptions : []),
      ...filterOptions(main),
      ...(get?.hasEtag && list === undefined ? [etagOption] : []),
      ...(remove === undefined ? [] : deleteOptions(remove)),
      list === undefined ? jsonOption : ['--json', 'print JSON, one item per line'],
      ...connectionOptions,
    ],
    examples: examplesOf(main),
    run: async (context, ...given) => {
      const options: ResourceOptions = given.at(-2);
      const values: string[] = given
        .slice(0, -2)
        .flat()
        .filter((value) => value !== undefined);
      if (isListNamed && values[0] === 'list') values.shift();
      const work = await import('./work.ts');
      if (remove !== undefined) {
        const canBeRead = all.some(({ id }) => id === remove.id.replace(/delete$/, 'get'));
        const confirmation = unconfirmed.includes(remove.id) ? null : { canBeRead };
        return work.deleteResources(remove, confirmation, values, options, context);
      }
      const isOne = list === undefined || values.length > list.params.length;
      await work[isOne ? 'getResource' : 'listResource'](
        (isOne ? get : list) as ResourceOperation,
        values,
        options,
        context,
      );
    },
  };
}

/** The summary of an operation, as the description of a command. */
function descriptionOf({ summary }: ResourceOperation): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

/** An option for each parameter that narrows a list. */
export function filterOptions({ id, query }: ResourceOperation): Option[] {
  return query.map((parameter) => {
    const isCallsOfAgent = id === 'calls.list' && parameter.name === 'agentId';
    const option = isCallsOfAgent
      ? new Option('--agent <id-or-name>', 'only calls of this agent')
      : new Option(`--${optionName(parameter)} <${placeholderOf(parameter)}>`, parameter.description);
    // The service checks the values: some options take several, separated by commas.
    if (parameter.values !== undefined) option.argChoices = [...parameter.values];
    return option.makeOptionMandatory(parameter.isRequired ?? false);
  });
}

function placeholderOf({ name, example, isList, isTime }: QueryParameter): string {
  if (isList) return 'list';
  if (isTime) return 'time';
  if (example.endsWith('_…')) return 'id';
  return name === 'q' ? 'text' : kebab(name);
}

function deleteOptions({ id, hasEtag }: ResourceOperation): OptionWords[] {
  return [
    ...(unconfirmed.includes(id) ? [] : [yesOption]),
    ...(hasEtag ? [['--if-match <etag>', 'only if it still has this ETag (see "get --etag")'] as const] : []),
  ];
}

function examplesOf({ id, params, query, isPaged }: ResourceOperation): string[] {
  const plain = params.map(({ example }) => example);
  const filter = query.find(({ isRequired }) => !isRequired);
  const required = query.filter(({ isRequired }) => isRequired).map(exampleOf);
  return [
    [...plain, ...required],
    ...(filter === undefined ? [] : [[...plain, exampleOf(filter)]]),
    ...(isPaged ? [[...plain, '--all --json']] : []),
    ...(id.endsWith('.delete') && !unconfirmed.includes(id) ? [[...plain, '--yes']] : []),
  ].map((words) => words.join(' '));
}

function exampleOf(parameter: QueryParameter): string {
  return `--${optionName(parameter)} ${parameter.example}`;
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number of 1 or more.');
}
