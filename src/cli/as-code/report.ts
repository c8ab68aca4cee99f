import { join } from 'node:path';
import { ApiError } from '../../../sdk/src/errors.ts';
import { paint } from '../context.ts';
import { describeFailure, exitCodeFor, exitCodes } from '../failures.ts';
import { visible } from '../terminal/text.ts';
import type { FileIssue } from './agent-file.ts';
import type { Outcome } from './apply.ts';
import { changesBetween } from './changes.ts';
import { isDefault, shortened } from './content.ts';
import { describeChange, valueText } from './field-lines.ts';
import type { Action, Plan, PlannedItem } from './plan.ts';
import type { Workspace } from './workspace.ts';

/** Only this many are listed; the rest are counted. */
const maxUnmanaged = 10;

/** How an action is shown, and what it is called when it is done. */
const signs = {
  create: ['+', 'green', 'created'],
  update: ['~', 'yellow', 'updated'],
  publish: ['^', 'cyan', 'published'],
  delete: ['-', 'red', 'deleted'],
  none: [' ', 'dim', ''],
} as const satisfies Record<Action, readonly [string, Parameters<typeof paint>[0], string]>;

const past = (action: Action): string => signs[action][2];

export function describeWorkspace({ name, id, service }: Workspace): string {
  return `${visible(name)} (${id}) at ${service}`;
}

export function describeIssues(issues: readonly FileIssue[], folder: string): string {
  return issues
    .map(({ file, line, field, message }) => {
      const place = `${join(folder, file)}${line === null ? '' : `:${line}`}`;
      return `${visible(place)}: ${field === null ? '' : `${visible(field)} `}${visible(message)}\n`;
    })
    .join('');
}

/** The planned changes, field by field, with warnings and obstacles. */
export function describePlan(plan: Plan, workspace: Workspace, folder: string, stream: NodeJS.WriteStream): string {
  const listed = plan.items.filter((item) => item.action !== 'none' || item.content === null || item.drift !== null);
  const parts = listed.map((item) => describeItem(item, folder, stream));
  return `${[`${paint('bold', 'Workspace', stream)} ${describeWorkspace(workspace)}\n`, ...parts, describeTotals(plan)].join('\n')}`;
}

function describeItem(item: PlannedItem, folder: string, stream: NodeJS.WriteStream): string {
  const [sign, color] = signs[item.action];
  const verb = item.action === 'none' ? 'leave' : item.action;
  const isAlsoPublished = item.publishes && item.action !== 'publish' ? ' and publish' : '';
  const head = paint(color, `${sign} ${verb}${isAlsoPublished}`, stream);
  const lines = [
    ...fieldLines(item, stream),
    ...warningsOf(item).map((text) => paint('yellow', `! ${text}`, stream)),
    ...(item.obstacle === null ? [] : [paint('red', `! skipped: ${item.obstacle}`, stream)]),
  ];
  const title = `${head}  ${visible(item.name)}  ${paint('dim', visible(join(folder, item.file)), stream)}`;
  return `${[title, ...lines.map((line) => `    ${line}`)].join('\n')}\n`;
}

function fieldLines({ action, content, changes }: PlannedItem, stream: NodeJS.WriteStream): string[] {
  const shown = action === 'create' && content !== null ? changesBetween({}, shortened(content)) : changes;
  return shown.flatMap((change) => describeChange(change, stream));
}

function warningsOf({ action, drift, seen, content, namesakes }: PlannedItem): string[] {
  const warnings: string[] = [];
  if (drift?.isDeleted) warnings.push('drift: deleted on the server since the last pull');
  else if (drift !== null) warnings.push(...driftLines(drift.fields, seen));
  if (content === null && action === 'none')
    warnings.push('the file is missing: use apply --delete to delete the agent');
  if (action === 'create' && namesakes.length > 0) {
    warnings.push(
      `an agent with this name already exists (${namesakes.slice(0, 3).join(', ')}): this creates another one; use --adopt to link the file to it instead`,
    );
  }
  return warnings;
}

function driftLines(fields: readonly string[], seen: PlannedItem['seen']): string[] {
  if (fields.length === 0) {
    const what = seen?.agent.isPublished ? `published as version ${seen.agent.version}` : 'no field in the file';
    return [`drift: changed on the server since the last pull (${what})`];
  }
  return fields.map((name) => {
    const value = seen?.content[name];
    const isBack = value === undefined || isDefault(name, value);
    return `drift: ${name} changed on the server since the last pull, now ${isBack ? 'the default' : valueText(value)}`;
  });
}

function describeTotals({ items, unmanaged }: Plan): string {
  const count = (action: Action): number =>
    items.filter((item) => item.action === action && item.content !== null).length;
  const deletes = items.filter(({ action }) => action === 'delete').length;
  const publishes = items.filter(({ publishes }) => publishes).length;
  const blocked = items.filter(({ obstacle }) => obstacle !== null).length;
  const totals = [
    `${count('create')} to create`,
    `${count('update')} to update`,
    ...(publishes > 0 ? [`${publishes} to publish`] : []),
    `${deletes} to delete`,
    `${count('none')} unchanged`,
    ...(blocked > 0 ? [`${blocked} skipped`] : []),
  ].join(', ');
  const named = unmanaged.slice(0, maxUnmanaged).map(({ id, name }) => `  ${id}  ${visible(name)}\n`);
  const more = unmanaged.length - named.length;
  const rest = more > 0 ? `  … ${more} more\n` : '';
  const onlyOnServer =
    unmanaged.length === 0
      ? ''
      : `\nOnly on the server (not managed; "pull" creates files for them):\n${named.join('')}${rest}`;
  const drafts = items.filter(({ awaitsPublish, publishes }) => awaitsPublish && !publishes).length;
  const hint = drafts === 0 ? '' : `${drafts} applied but not published yet: use --publish\n`;
  return `${totals}\n${hint}${onlyOnServer}`;
}

export function planToJson(plan: Plan, { service, id, name }: Workspace): Record<string, unknown> {
  return {
    workspace: { service, id, name },
    agents: plan.items.map(itemToJson),
    onlyOnServer: plan.unmanaged.map((agent) => ({ id: agent.id, name: agent.name })),
  };
}

function itemToJson({ file, name, id, action, changes, drift, namesakes, obstacle, publishes, content }: PlannedItem) {
  return {
    file,
    name,
    id,
    action,
    publishes,
    isFileGone: content === null,
    changes: changes.map(({ path, from, to }) => ({ path, from, to })),
    drift,
    namesakes,
    obstacle,
  };
}

export function outcomesToJson(outcomes: readonly Outcome[]): Record<string, unknown> {
  const toJson = ({ item, id, done, failure }: Outcome) => ({
    file: item.file,
    name: item.name,
    id,
    action: item.action,
    done: done.map(past),
    reason: failure === null ? null : reasonOf(item, failure),
  });
  return {
    done: outcomes.filter(({ failure }) => failure === null).map(toJson),
    notDone: outcomes.filter(({ failure }) => failure !== null).map(toJson),
  };
}

export function describeOutcomes(
  outcomes: readonly Outcome[],
  folder: string,
  stream: NodeJS.WriteStream,
  isAllThereIs = true,
): string {
  if (outcomes.length === 0 && !isAllThereIs) return '';
  const counts = (['create', 'update', 'publish', 'delete'] as const)
    .map((action) => [past(action), outcomes.filter(({ done }) => done.includes(action)).length] as const)
    .filter(([, count]) => count > 0)
    .map(([verb, count]) => `${count} ${verb}`);
  const failed = outcomes.filter(({ failure }) => failure !== null);
  const lines = failed.map(({ item, done, failure }) => {
    const sofar = done.length === 0 ? '' : ` (${done.map(past).join(', ')})`;
    const reason = reasonOf(item, failure as NonNullable<typeof failure>);
    return `  ${visible(join(folder, item.file))}${sofar}: ${reason.split('\n').map(visible).join('\n    ')}\n`;
  });
  const nothing = outcomes.length === 0 ? 'Nothing to do.\n' : 'Nothing was applied.\n';
  const head = counts.length === 0 ? nothing : `Done: ${counts.join(', ')}.\n`;
  if (failed.length === 0) return head;
  return `${head}${paint('red', `Failed or incomplete: ${failed.length}`, stream)}\n${lines.join('')}`;
}

function reasonOf(item: PlannedItem, failure: NonNullable<Outcome['failure']>): string {
  if (failure === 'obstacle') return item.obstacle ?? '';
  if (failure === 'not started') return 'not started';
  const { error } = failure;
  // An earlier run created an agent from this file with different content.
  if (error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED') {
    return 'an interrupted apply already created this agent from an earlier version of the file: use --adopt to link and update it';
  }
  return describeFailure(error)
    .replace(/^voice-agents: /, '')
    .trim();
}

/** The exit code of the most severe failure: first those that affect everything, then conflicts, then the rest. */
export function exitCodeOf(outcomes: readonly Outcome[], others: readonly number[] = []): number {
  const own = outcomes.flatMap(({ item, failure }): number[] => {
    if (failure === null) return [];
    if (failure === 'not started') return [exitCodes.failed];
    if (failure === 'obstacle') return [item.isConflict ? exitCodes.conflict : exitCodes.failed];
    return [exitCodeFor(failure.error)];
  });
  const codes = [...own, ...others];
  const order = [exitCodes.unavailable, exitCodes.notAllowed, exitCodes.conflict];
  return order.find((code) => codes.includes(code)) ?? codes[0] ?? exitCodes.done;
}
