import type { Workflow, WorkflowRun, WorkflowTest } from '../../../sdk/src/schema.ts';
import { type Format, paint } from '../context.ts';
import { describeFields, describeGroups, withoutEmpty } from '../terminal/fields.ts';
import { table } from '../terminal/table.ts';
import { visible, visibleLines } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';

type Step = Workflow['steps'][number];
type RunStep = WorkflowRun['steps'][number];
type TestedStep = WorkflowTest['steps'][number];
type TestedCondition = WorkflowTest['filter'][number];

/** A request as it was rendered. */
interface Rendered {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What is worth showing of a step, besides its defaults. */
export function describeWorkflow(workflow: Workflow, stream: NodeJS.WriteStream): string {
  const { id, name, description, version, enabled, disabledReason, trigger, steps, createdAt, updatedAt } = workflow;
  const state = enabled ? 'enabled' : `disabled${disabledReason === 'failing' ? ' (failing)' : ''}`;
  const title = `${paint('bold', visible(name), stream)}  ${paint(enabled ? 'green' : 'yellow', state, stream)}`;
  const { filter, ...when } = trigger;
  const shown = withoutEmpty({
    ...when,
    onEveryAnalysis: when.onEveryAnalysis || null,
    includeDrafts: when.includeDrafts || null,
  });
  const groups = {
    Trigger: { ...shown, ...(filter === null ? {} : { filter: JSON.stringify(filter) }) },
    Steps: Object.fromEntries(steps.map((step) => [step.id, describeStep(step)])),
  };
  return describeGroups(title, withoutEmpty({ id, description, version, createdAt, updatedAt }), groups, stream);
}

function describeStep(step: Step): string {
  const targets = [
    ...(step.type !== 'condition' && step.next !== null ? [`then ${step.next}`] : []),
    ...(step.otherwise === null ? [] : [`otherwise ${step.otherwise}`]),
  ];
  return [`${step.type}  ${whatItDoes(step)}`, ...targets].join(', ');
}

function whatItDoes(step: Step): string {
  switch (step.type) {
    case 'http_request':
      return `${step.method} ${step.url}`;
    case 'wait':
      if (step.seconds !== null) return describeDuration(step.seconds * 1000);
      return step.until === null ? `until ${step.at} (${step.timeZone ?? 'UTC'})` : `until ${step.until}`;
    case 'condition':
      return step.routes.map((route) => `${route.next} if ${JSON.stringify(route.if)}`).join(', ');
    case 'update_call':
      return JSON.stringify({ ...step.metadata, ...(step.externalId !== null && { externalId: step.externalId }) });
    case 'create_call':
      return `${step.call.to} from ${step.call.fromPhoneNumberId}, with ${step.call.agentId}`;
    default:
      step satisfies never;
      // The service may be newer.
      return '';
  }
}

const formats: Readonly<Record<string, Format>> = {
  succeeded: 'green',
  failed: 'red',
  canceled: 'yellow',
  skipped: 'yellow',
  waiting: 'cyan',
  running: 'cyan',
  not_reached: 'dim',
};

function painted(status: string, stream: NodeJS.WriteStream): string {
  const format = formats[status];
  return format === undefined ? status : paint(format, status, stream);
}

/** A run with each step, what it has sent, and every attempt. */
export function describeRun(run: WorkflowRun, stream: NodeJS.WriteStream): string {
  const { id, workflowId, workflowVersion, callId, eventId, status, reason, trigger, depth } = run;
  const { createdAt, startedAt, completedAt, steps } = run;
  const state = `${painted(status, stream)}${reason === null ? '' : ` (${visible(reason)})`}`;
  const fields = {
    workflowId,
    workflowVersion,
    callId,
    trigger,
    eventId,
    depth: depth === 1 ? null : depth,
    createdAt,
    startedAt,
    completedAt,
  };
  const parts = steps.map((step) => `\n${describeRunStep(step, stream)}`);
  return `${paint('bold', id, stream)}  ${state}\n${describeFields(Object.entries(withoutEmpty(fields)))}${parts.join('')}`;
}

function describeRunStep(step: RunStep, stream: NodeJS.WriteStream): string {
  const { id, type, status, request, attempts, attemptCount, nextAttemptAt, output, error } = step;
  const lost = attemptCount - attempts.length;
  const due = nextAttemptAt === null ? '' : `, ${type === 'wait' ? 'until' : 'next attempt at'} ${nextAttemptAt}`;
  const lines = [
    ...(error === null ? [] : [paint('red', `${visible(error.code)}: ${visible(error.message)}`, stream)]),
    ...(request === null ? [] : requestLines(request)),
    ...attempts.map(describeAttempt),
    ...(lost > 0 ? [`${lost} more without a record, of processes that were lost or still sending`] : []),
    ...(output === null || Object.keys(output).length === 0 ? [] : [`output ${visible(JSON.stringify(output))}`]),
  ];
  const head = `${paint('bold', id, stream)}  ${type}  ${painted(status, stream)}${due}`;
  return `${[head, ...lines.map((line) => `    ${line}`.trimEnd())].join('\n')}\n`;
}

function describeAttempt({
  number,
  startedAt,
  durationMs,
  outcome,
  statusCode,
  errorMessage,
}: RunStep['attempts'][number]) {
  const status = statusCode === null ? '' : ` ${statusCode}`;
  const reason = errorMessage === null ? '' : `: ${visible(errorMessage)}`;
  return `attempt ${number} at ${startedAt}, ${outcome}${status} after ${durationMs} ms${reason}`;
}

/** Whether a run would start and why, and what each step would do. */
export function describeTest({ matched, filter, steps, end }: WorkflowTest, stream: NodeJS.WriteStream): string {
  const start = matched ? paint('green', 'A run would start.', stream) : paint('yellow', 'No run would start.', stream);
  const why = filter.length === 0 ? 'The trigger has no conditions.\n' : conditionTable(filter, stream);
  const parts = steps.map((step) => `\n${describeTestedStep(step, stream)}`);
  const last = end === 'succeeded' ? 'The run would succeed.' : paint('red', 'The run would fail.', stream);
  return `${start}\n\n${why}${parts.join('')}\n${last} Nothing was sent.\n`;
}

function conditionTable(filter: readonly TestedCondition[], stream: NodeJS.WriteStream): string {
  const rows = filter.map(({ path, field, op, expected, actual, result }) => [
    { text: result ? 'yes' : 'no', format: result ? 'green' : 'red' } as const,
    field,
    op,
    JSON.stringify(expected) ?? '',
    JSON.stringify(actual) ?? '',
    path,
  ]);
  return table(['HOLDS', 'FIELD', 'OP', 'EXPECTED', 'IN THE CALL', 'CONDITION'], rows, {
    stream,
    elastic: 'IN THE CALL',
    dispensable: ['CONDITION'],
  });
}

function describeTestedStep(
  { id, reached, rendered, assumed, problems }: TestedStep,
  stream: NodeJS.WriteStream,
): string {
  const state = reached
    ? problems.length > 0
      ? paint('red', 'fails', stream)
      : `${paint('green', 'succeeds', stream)}${assumed ? ' (assumed)' : ''}`
    : paint('dim', 'not reached', stream);
  const lines = [
    ...problems.map(({ code, message }) => paint('red', `${visible(code)}: ${visible(message)}`, stream)),
    ...(rendered === null ? [] : renderedLines(rendered)),
  ];
  return `${[`${paint('bold', id, stream)}  ${state}`, ...lines.map((line) => `    ${line}`.trimEnd())].join('\n')}\n`;
}

function renderedLines(rendered: Readonly<Record<string, unknown>>): string[] {
  if (typeof rendered.method === 'string') return requestLines(rendered as unknown as Rendered);
  return describeFields(Object.entries(rendered))
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^ {2}/, ''));
}

function requestLines({ method, url, headers, body }: Rendered): string[] {
  return [
    `${method} ${visible(url)}`,
    ...Object.entries(headers).map(([name, value]) => visible(`${name}: ${value}`)),
    ...(body === null ? [] : ['', ...visibleLines(readable(body)), '']),
  ];
}

/** JSON with line breaks. Other texts stay as they are. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
