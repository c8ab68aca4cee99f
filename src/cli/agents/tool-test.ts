import type { AgentToolTest } from '../../../sdk/src/schema.ts';
import { type CommandContext, paint } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { visible, visibleLines } from '../terminal/text.ts';
import { define, jsonOrText, readObject } from './fields.ts';

interface TestOptions {
  readonly argument?: readonly string[];
  readonly file?: string;
}

/** The arguments of `agents tools test`. */
export async function toolTestBody({ argument = [], file }: TestOptions, { stdin }: CommandContext): Promise<object> {
  const given = file === undefined ? {} : await readObject(file, stdin, 'the arguments of the tool');
  for (const assignment of argument) {
    const split = assignment.indexOf('=');
    if (split < 1) throw invalidUsage(`--argument ${visible(assignment)}: must have the form name=value`);
    define(given, assignment.slice(0, split), jsonOrText(assignment.slice(split + 1)));
  }
  return { arguments: given };
}

export function describeToolTest(test: AgentToolTest, stream: NodeJS.WriteStream): string {
  const { outcome, request, response, durationMs, isError, modelText } = test;
  const verdict = paint(isError ? 'red' : 'green', outcome, stream);
  const status = response === null ? '' : ` with status ${response.statusCode}`;
  const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => visible(`${name}: ${value}`));
  return [
    ...(request === null ? [] : [`${request.method} ${visible(request.url)}`, ...indented(headers.join('\n'))]),
    ...(request?.body == null ? [] : ['', ...indented(request.body)]),
    ...(request === null ? [] : ['']),
    `${verdict}${status} after ${durationMs} ms.`,
    ...(response?.body == null ? [] : indented(`${response.body}${response.isTruncated ? '…' : ''}`)),
    '',
    'A model would be given:',
    ...indented(modelText),
    '',
  ].join('\n');
}

function indented(text: string): string[] {
  return visibleLines(text).map((line) => `  ${line}`.trimEnd());
}
