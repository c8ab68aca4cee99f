import { type Command, InvalidArgumentError } from 'commander';
import { type CommandContext, ReaderGoneError } from '../context.ts';
import { connectionOptions, type Declaration } from '../declaration.ts';
import { describeFailure, exitCodeFor, exitCodes } from '../failures.ts';
import type { SimulateOptions } from './agent-source.ts';

const maxRuns = 1000;
const largestSeed = 2 ** 32 - 1;
const interrupted = 130;

/** Calls with a scripted caller. The implementation is loaded on demand. */
export const simulateCommand: Declaration = {
  name: 'simulate [file...]',
  description: 'simulate calls of an agent from scripts, or talk to it',
  options: [
    ['--agent <file-or-id>', 'the agent (default: that of the script)'],
    ['--version <version>', 'for an agent id: a number, "latest" or "published" (default: "latest")'],
    ['--runs <number>', 'how many times each script runs', numberOption(1, maxRuns), 1],
    ['--seed <number>', 'seed of the first run; the others count up from it', numberOption(0, largestSeed), 0],
    ['--interactive', 'talk to the agent: you type what the caller says'],
    ['--explore', 'follow every path of a flow and report problems'],
    ['--write <path>', 'with --explore: a directory for its scripts; with --interactive: a file for yours'],
    ['--cassette <file>', 'recorded replies of a language model or custom LLM server'],
    ['--record <file>', 'use the model or the server of the agent, in real time, and write a cassette'],
    ['--json', 'print JSON, one line per script'],
    ...connectionOptions,
  ],
  about: `A script is a YAML or JSON file with what the caller does and what is expected of
the agent (see docs/simulation.md). A directory stands for all scripts in it. Time
is virtual: a call of minutes takes milliseconds, and the same seed always produces
the same call. No other system is called: the script contains the results of tools.

With --record, the replies come from the agent's language model (OPENAI_API_KEY,
OPENAI_BASE_URL) or custom LLM server, in real time, and are written to a file for
--cassette. The results of tools still come from the script.

An agent file is simulated without a service. An agent id is simulated by the
service.

With --interactive, type what the caller says, or a command such as /wait 10s;
/help lists them.

Exit codes: 0 if everything passed, 1 if an expectation failed or --explore found
something, 2 for an invalid script or agent, or any other error.`,
  examples: [
    'examples/salon/simulations/happy-path.yaml',
    'examples --runs 100 --seed 7',
    'booking.yaml --agent agt_… --version published --json',
    'booking.yaml --agent agent.yaml --record booking.cassette.json',
    '--interactive --agent examples/salon/agent.yaml',
    '--explore --agent examples/salon/agent.yaml',
  ],
  run: async (context, files: readonly string[], options: SimulateOptions, command: Command) => {
    checkUsage(files, options, command);
    try {
      await run(files, options, context);
    } catch (error) {
      if (error instanceof ReaderGoneError) throw error;
      context.stderr.write(describeFailure(error));
      // For CI, 1 means that the agent is wrong, and nothing else does.
      context.setExitCode(exitCodeFor(error) === interrupted ? interrupted : exitCodes.invalidUsage);
    }
  },
};

async function run(files: readonly string[], options: SimulateOptions, context: CommandContext): Promise<void> {
  if (options.explore) {
    const { exploreAgent } = await import('./explore.ts');
    await exploreAgent(options, context);
  } else if (options.interactive) {
    const { talkToAgent } = await import('./interactive.ts');
    await talkToAgent(files[0], options, context);
  } else if (options.record !== undefined) {
    const { recordScript } = await import('./record.ts');
    await recordScript(files[0] as string, { ...options, record: options.record }, context);
  } else {
    const { runScripts } = await import('./run.ts');
    await runScripts(files, options, context);
  }
}

function checkUsage(files: readonly string[], options: SimulateOptions, command: Command): void {
  const { agent, cassette, explore, interactive, json, record, runs, write } = options;
  const issues: readonly (readonly [isWrong: unknown, message: string])[] = [
    [explore && interactive, 'use either --explore or --interactive'],
    [explore && agent === undefined, '--explore needs --agent'],
    [explore && files.length > 0, '--explore takes no script'],
    [interactive && json, '--interactive has no --json'],
    [cassette !== undefined && (explore || interactive), '--cassette is for scripts'],
    [record !== undefined && (explore || interactive || cassette !== undefined), '--record is for a script alone'],
    [record !== undefined && files.length !== 1, '--record takes one script'],
    [record !== undefined && runs !== 1, '--record runs the script once'],
    [interactive && files.length > 1, '--interactive takes one script'],
    [interactive && files.length === 0 && agent === undefined, '--interactive needs --agent or a script'],
    [write !== undefined && !explore && !interactive, '--write needs --explore or --interactive'],
    [!explore && !interactive && files.length === 0, 'name a script, or use --interactive or --explore'],
  ];
  const issue = issues.find(([isWrong]) => isWrong);
  if (issue !== undefined) command.error(`error: ${issue[1]}`);
}

function numberOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`);
  };
}
