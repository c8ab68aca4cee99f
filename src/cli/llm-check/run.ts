import { randomUUID } from 'node:crypto';
import { addressOf } from '../../voice/engines/custom-llm/outbound-socket.ts';
import { type CommandContext, type Format, paint, print } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { type Check, LlmCheck } from './checks.ts';

export interface LlmCheckOptions {
  readonly strict?: boolean;
  readonly json?: boolean;
}

const marks: Readonly<Record<Check['status'], readonly [mark: string, format: Format]>> = {
  passed: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
  skipped: ['–', 'dim'],
};

/** Plays a call with a custom LLM server, and prints what it does wrong. */
export async function checkLlm(url: string, options: LlmCheckOptions, context: CommandContext): Promise<void> {
  const { stdout, setExitCode } = context;
  const { strict: isStrict = false, json: isJson = false } = options;
  if (!/^wss?:\/\//.test(url) || !URL.canParse(url)) {
    throw invalidUsage('the address must be a ws:// or wss:// URL');
  }
  const address = addressOf(url, `call_check_${randomUUID().slice(0, 8)}`);
  if (!isJson) await print(stdout, `${visible(address)}\n\n`);
  const lines: Promise<void>[] = [];
  const check = new LlmCheck(address, isStrict, (done) => {
    if (!isJson) lines.push(print(stdout, lineOf(done, stdout)));
  });
  const checks = await check.run();
  await Promise.all(lines);
  const failed = checks.filter(({ status }) => status === 'failed').length;
  const isPassed = failed === 0;
  if (isJson) await print(stdout, jsonLine({ url, strict: isStrict, passed: isPassed, checks }));
  else await print(stdout, `\n${isPassed ? 'The server conforms.' : `${failed} of ${checks.length} checks failed.`}\n`);
  if (!isPassed) setExitCode(exitCodes.failed);
}

function lineOf({ name, status, tookMs, details }: Check, stdout: NodeJS.WriteStream): string {
  const [mark, format] = marks[status];
  const head = `${paint(format, mark, stdout)} ${name.padEnd(20)} ${`${tookMs} ms`.padStart(9)}`;
  const [first = '', ...others] = details.map(visible);
  return [`${head}  ${first}`.trimEnd(), ...others.map((detail) => `${' '.repeat(34)}${detail}`)]
    .join('\n')
    .concat('\n');
}
