import { Readable, Writable } from 'node:stream';
import type { CommandContext } from '../../src/cli/context.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import type { ResourceOperation } from '../../src/cli/resources/operation.ts';
import type { Finished } from './process.ts';

// The test runner sets it for the processes that it starts on a terminal.
delete process.env.FORCE_COLOR;

/**
 * Runs `voice-agents …` in this process, which takes a tenth of the time that `runCommand` needs to start another. It is
 * for what a command prints and returns. Signals, terminals and the end of the process are tested with `runCommand`.
 */
export async function runInProcess(
  args: readonly string[],
  settings: Record<string, string>,
  input = '',
  operations?: readonly ResourceOperation[],
): Promise<Finished> {
  const { PATH, HOME } = process.env;
  const stdout = collector();
  const stderr = collector();
  let code = 0;
  const environment = { PATH, HOME, ...settings };
  const context: CommandContext = {
    environment,
    version: '0.0.0-test',
    stdin: Readable.from([Buffer.from(input)]) as unknown as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
    setExitCode: (given) => {
      code = given;
    },
  };
  await withEnvironment(environment, () => runCommandLine(args, context, operations));
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** Commander reads the variables of options from the process, before the command awaits anything. */
function withEnvironment<T>(environment: NodeJS.ProcessEnv, start: () => T): T {
  const own = process.env;
  process.env = environment;
  try {
    return start();
  } finally {
    process.env = own;
  }
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString() };
}
