import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { readConfig } from '../../config.ts';
import type { Agent } from '../../contract/agents/agent.ts';
import { createGuard } from '../../net/guard.ts';
import { AllowedNetworks, localNetworks } from '../../net/networks.ts';
import { engineFor, needsModel } from '../../voice/engines/choose.ts';
import { addressOf, outboundSocket } from '../../voice/engines/custom-llm/outbound-socket.ts';
import { createOpenAiLlm } from '../../voice/providers/openai/llm.ts';
import { type Live, recordSimulation } from '../../voice/simulation/recorded-simulation.ts';
import { reportOf } from '../../voice/simulation/report.ts';
import { writeInto } from '../as-code/folder.ts';
import { type CommandContext, print } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { type LocalAgent, loadAgent, type SimulateOptions } from './agent-source.ts';
import { describeResult, hasFailed, type ScriptResult } from './report.ts';
import { reportLine, targetOf } from './run.ts';
import { readScriptFile } from './script-file.ts';

interface Connected {
  readonly live: Live;
  close(): Promise<void>;
}

/** Runs a script once, with the agent's own model or server, and writes what it replied as a cassette. */
export async function recordScript(
  path: string,
  options: SimulateOptions & { readonly record: string },
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, setExitCode } = context;
  const script = await readScriptFile(path);
  const target = targetOf(script, options);
  const local = await loadAgent(target, options, context);
  const { live, close } = connected(local, context);
  stderr.write('Recording in real time …\n');
  const { result, cassette } = await recordSimulation(
    local.agent,
    script.script,
    script.steps,
    live,
    options.seed,
  ).finally(close);
  const { record } = options;
  await mkdir(dirname(record), { recursive: true });
  await writeInto(dirname(record), basename(record), `${JSON.stringify(cassette, null, 2)}\n`, false);
  const end = { reason: result.endReason ?? 'the script is over', atMs: result.durationMs };
  const shown: ScriptResult = { script, target, agentName: local.name, report: reportOf([result]), end };
  await print(stdout, options.json ? jsonLine(reportLine(shown, options)) : describeResult(shown, options, stdout));
  stderr.write(`Recorded in ${visible(record)}. Replay it with --cassette ${visible(record)}\n`);
  if (hasFailed(shown)) setExitCode(exitCodes.failed);
}

function connected({ name, agent }: LocalAgent, { environment }: CommandContext): Connected {
  if (!needsModel(agent)) {
    throw invalidUsage(`${visible(name)} needs no cassette: it uses neither a language model nor a server`);
  }
  return engineFor(agent, true) === 'custom_llm' ? serverOf(agent) : modelOf(name, environment);
}

/** Addresses in private networks are allowed: it is the user's own machine that connects. */
function serverOf({ responseEngine }: Agent): Connected {
  const guard = createGuard({ allowedNetworks: new AllowedNetworks(localNetworks) });
  const url = addressOf(responseEngine.llmWebsocketUrl as string, 'call_simulated');
  return { live: { socket: outboundSocket({ guard, url, headers: async () => ({}) }) }, close: () => guard.close() };
}

function modelOf(name: string, environment: NodeJS.ProcessEnv): Connected {
  const { llm, outboundProxy } = readConfig(environment);
  if (llm === null) {
    throw invalidUsage(
      `${visible(name)} uses a language model, and none is connected: set OPENAI_API_KEY or OPENAI_BASE_URL`,
    );
  }
  const model = createOpenAiLlm({ ...llm, proxy: outboundProxy });
  return { live: { llm: model }, close: () => model.close() };
}
