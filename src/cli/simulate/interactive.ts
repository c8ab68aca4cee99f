import { mkdir } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import type { SimulationScript } from '../../contract/simulations/script.ts';
import { expectationOf } from '../../voice/engines/flow/explore/script.ts';
import type { Turn } from '../../voice/ports.ts';
import { prepareSimulation } from '../../voice/simulation/prepare.ts';
import type { ToolCall, ToolResult } from '../../voice/tools/tool.ts';
import { formatOf, writeText } from '../as-code/document.ts';
import { writeInto } from '../as-code/folder.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { LineInput } from '../terminal/line-input.ts';
import { visible } from '../terminal/text.ts';
import { describeTool, head, timeText } from '../terminal/transcript.ts';
import { isAgentId, loadAgent, requireNoModel, type SimulateOptions } from './agent-source.ts';
import { CallScreen } from './call-screen.ts';
import { InteractiveCall, quoted } from './interactive-call.ts';
import { targetOf } from './run.ts';
import { readScriptFile } from './script-file.ts';

const longestWaitMs = 3_600_000;

const help = `Type what the caller says. Or:
  /wait 10s            say nothing for a while; also 500ms or 1m
  /cough               make a short sound
  /interrupt <words>   interrupt what the agent said last, after three words
  /dtmf <digits>       press keys
  /variables           show what the agent has noted
  /hangup              end the call
`;

/** A call in which the user is the caller. */
export async function talkToAgent(
  file: string | undefined,
  options: SimulateOptions,
  context: CommandContext,
): Promise<void> {
  const scriptFile = file === undefined ? null : await readScriptFile(file);
  const target = scriptFile === null ? (options.agent as string) : targetOf(scriptFile, options);
  const { write } = options;
  if (write !== undefined && formatOf(write) !== 'yaml') {
    throw invalidUsage('--write needs a .yaml file for the conversation');
  }
  const local = await loadAgent(target, options, context);
  requireNoModel(local);
  // Without a script, the agent is called now, so that "tomorrow" is what the user expects.
  const script = scriptFile?.script ?? { now: `${new Date().toISOString().slice(0, 19)}Z`, steps: [] };
  const title = `${paint('bold', visible(local.name), context.stdout)}  ${paint('gray', '/help lists the commands', context.stdout)}`;
  await print(context.stdout, `${title}\n\n`);
  const conversation = new Conversation(prepareSimulation(local.agent, script, []), script, options.seed, context);
  await conversation.run();
  if (write !== undefined) await save(conversation.call, script, target, write);
}

async function save(
  call: InteractiveCall,
  script: Omit<SimulationScript, 'steps'>,
  target: string,
  file: string,
): Promise<void> {
  const folder = dirname(file);
  const agent = isAgentId(target) ? target : relative(folder, target);
  await mkdir(folder, { recursive: true });
  await writeInto(folder, basename(file), writeText(scriptOf(call, { ...script, agent }), 'yaml'), false);
}

class Conversation {
  readonly call: InteractiveCall;
  private readonly input: LineInput;
  private readonly screen: CallScreen;
  private readonly stdout: NodeJS.WriteStream;

  constructor(
    setup: ReturnType<typeof prepareSimulation>,
    { tools = {} }: Pick<SimulationScript, 'tools'>,
    seed: number,
    context: CommandContext,
  ) {
    this.stdout = context.stdout;
    this.input = new LineInput(context);
    this.screen = new CallScreen(context.stdout);
    this.call = new InteractiveCall({
      setup,
      seed,
      tools,
      show: (call) => this.screen.update(call),
      ask: (id, call) => this.askForResult(id, call),
    });
  }

  async run(): Promise<void> {
    try {
      await this.call.start();
      while (this.call.call.endReason === null) await this.takeLine();
      const { endReason, durationMs } = this.call.call;
      await print(this.stdout, `${head(durationMs, 'end', 'gray', this.stdout)}${endReason}\n`);
    } finally {
      this.input.close();
    }
  }

  private async takeLine(): Promise<void> {
    const prompt = head(this.call.call.clock.now(), 'caller', 'green', this.stdout);
    const line = await this.input.ask(prompt);
    // Nobody is there any more.
    if (line === null) return void (await this.call.take('hang up'));
    const text = line.trim();
    // A Japanese keyboard types a wide slash.
    if (/^[/／]/.test(text)) return this.takeCommand(`/${text.slice(1)}`);
    if (text === '') return;
    await this.call.take(`say ${quoted(text)}`);
  }

  private async takeCommand(line: string): Promise<void> {
    const [name = '', ...words] = line.split(/\s+/);
    const rest = words.join(' ');
    if (name === '/variables') return this.showVariables();
    if (name === '/interrupt' && rest !== '') return this.interrupt(rest);
    const isTaken = await this.call.take(stepFor(name, rest.normalize('NFKC')));
    if (!isTaken) await print(this.stdout, paint('gray', help, this.stdout));
  }

  private async interrupt(text: string): Promise<void> {
    const isDone = await this.call.interrupt(text, (call) => {
      this.screen.rewound(call, text);
      this.stdout.write(this.screen.note(`back to ${timeText(call.clock.now())}`));
    });
    if (!isDone) await print(this.stdout, this.screen.note('the agent has not said three words yet'));
  }

  private async showVariables(): Promise<void> {
    const variables = Object.entries(this.call.call.session.variables);
    const lines = variables.map(([name, value]) => this.screen.note(visible(`${name} = ${JSON.stringify(value)}`)));
    await print(this.stdout, lines.length === 0 ? this.screen.note('nothing yet') : lines.join(''));
  }

  private async askForResult(id: string, { name, arguments: values }: ToolCall): Promise<ToolResult> {
    this.screen.expectAsked(id);
    const call = describeTool({
      id,
      name,
      arguments: values,
      result: null,
      isError: false,
      isExample: false,
      durationMs: 0,
    });
    const start = head(this.call.call.clock.now(), 'tool', 'magenta', this.stdout);
    const prompt = `${start}${call.replace(/null$/, '')}`;
    for (;;) {
      const result = resultOf(await this.input.ask(prompt));
      if (result !== null) return result;
      const note =
        'the result as JSON, such as {"variables": {"available": true}}; Enter for {}, or "error" and a text';
      await print(this.stdout, this.screen.note(note));
    }
  }
}

/** The step of a script that a command stands for. It is not valid if the command is not. */
function stepFor(command: string, rest: string): string {
  if (command === '/wait') return `pause ${durationOf(rest)}`;
  if (command === '/cough') return `cough ${durationOf(rest || '150ms')}`;
  return command === '/dtmf' ? `dtmf ${rest}` : command.replace(/^\/hangup$/, 'hang up');
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, '': 1000, m: 60_000 };

function durationOf(text: string): string {
  const [, number, unit = ''] = /^(\d{1,7}(?:\.\d+)?) ?(ms|s|m)?$/.exec(text) ?? [];
  return `${Math.min(longestWaitMs, Math.round(Number(number) * (units[unit] as number)))}ms`;
}

/** Null if it is not a result. */
function resultOf(line: string | null): ToolResult | null {
  const text = line?.trim() ?? '';
  if (text === '') return { isError: false, result: {} };
  const [, message] = /^error:?(?:\s+(.*))?$/s.exec(text) ?? [];
  if (text.startsWith('error')) return { isError: true, code: 'failed', message: message ?? 'failed' };
  try {
    return { isError: false, result: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

interface TimedStep {
  readonly atMs: number;
  readonly steps: readonly string[];
}

/** A conversation as a script that repeats it, and expects what the agent said. */
function scriptOf(
  { call, taken, answers }: InteractiveCall,
  { agent, now, variables, tools }: Omit<SimulationScript, 'steps'>,
): SimulationScript {
  const timed: TimedStep[] = [
    // At the same time, what the agent said comes first: the caller replied to it.
    ...call.turns.map((turn) => ({ atMs: turn.endMs, steps: expectationsOf(turn) })),
    ...taken.map(({ line, atMs }) => ({ atMs: Math.round(atMs), steps: [line] })),
  ];
  const steps = timed.toSorted((a, b) => a.atMs - b.atMs).flatMap((each) => each.steps);
  const end = call.endReason === null ? [] : [`expect end ${call.endReason}`];
  const asked = Map.groupBy(answers, ({ name }) => name);
  const results = [...asked].map(([name, list]) => [
    name,
    list.map(({ result }) => (result.isError ? { error: result.message } : { result: result.result })),
  ]);
  const allTools = { ...tools, ...(Object.fromEntries(results) as SimulationScript['tools']) };
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(now === undefined ? {} : { now }),
    ...(variables === undefined ? {} : { variables }),
    ...(Object.keys(allTools).length === 0 ? {} : { tools: allTools }),
    steps: [...steps, ...end],
  };
}

/** What was interrupted is not expected: to wait for it would be to hear it out. */
function expectationsOf({ role, text, interrupted, toolCall }: Turn): string[] {
  if (toolCall !== null) return [`expect tool ${toolCall.name} ${JSON.stringify(toolCall.arguments)}`];
  return role === 'agent' && !interrupted && text.trim() !== '' ? [expectationOf(text.trim())] : [];
}
