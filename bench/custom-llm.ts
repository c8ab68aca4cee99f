import { Worker } from 'node:worker_threads';
import { createGuard } from '../src/net/guard.ts';
import { AllowedNetworks, localNetworks } from '../src/net/networks.ts';
import { realClock } from '../src/voice/clock.ts';
import { ownConnection } from '../src/voice/engines/custom-llm/connections.ts';
import { CustomLlmEngine } from '../src/voice/engines/custom-llm/engine.ts';
import { addressOf, outboundSocket } from '../src/voice/engines/custom-llm/outbound-socket.ts';
import type { EngineCall, ReplyOutput } from '../src/voice/engines/engine.ts';
import type { ModelTurn } from '../src/voice/engines/model/messages.ts';
import { atMost, type Target } from './targets.ts';

const calls = 50;
const turnsPerCall = 40;
/** Between two turns of a call: 500 turns a second in all of them. */
const pauseMs = 100;
const ignore = (): void => {};

/** What a turn takes from the caller's words to the complete response of a server that needs no time. */
export async function measureCustomLlm(): Promise<Target[]> {
  const worker = new Worker(new URL('./custom-llm-server.ts', import.meta.url));
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const guard = createGuard({ allowedNetworks: new AllowedNetworks(localNetworks) });
  const times: number[] = [];
  const running = Array.from({ length: calls }, (_, number) => runCall(`ws://127.0.0.1:${port}/llm`, number));
  for (const measured of await Promise.all(running.map((run) => run(guard)))) times.push(...measured);
  await guard.close();
  await worker.terminate();
  times.sort((one, other) => one - other);
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0;
  return [atMost(`a turn on a custom LLM, p99, ${calls} calls at a time`, p99, 10, 'ms')];
}

function runCall(url: string, number: number) {
  return async (guard: ReturnType<typeof createGuard>): Promise<number[]> => {
    const history: ModelTurn[] = [];
    const open = outboundSocket({ guard, url: addressOf(url, `call_${number}`), headers: async () => ({}) });
    const engine = new CustomLlmEngine({
      clock: realClock,
      connections: ownConnection({ open, clock: realClock, time: Date.now }),
      language: 'en',
      isSpoken: true,
      call: {
        call_id: `call_${number}`,
        call_type: 'web_call',
        agent_id: 'agt_bench',
        agent_version: 1,
        metadata: {},
        agent_global_prompt: null,
      },
      variables: {},
      history: () => history,
    });
    engine.attach(quietCall);
    const times: number[] = [];
    // The first turn includes the time to connect.
    await turn(engine, history, 0);
    await pause(Math.random() * pauseMs);
    for (let index = 1; index <= turnsPerCall; index += 1) {
      times.push(await turn(engine, history, index));
      await pause(pauseMs);
    }
    engine.detach();
    return times;
  };
}

function turn(engine: CustomLlmEngine, history: ModelTurn[], index: number): Promise<number> {
  const start = performance.now();
  let text = '';
  return new Promise((resolve, reject) => {
    const output: ReplyOutput = {
      text: (piece) => {
        text += piece;
      },
      end: () => {
        history.push({ role: 'caller', text: 'A table please.' }, { role: 'agent', text, source: 'engine' });
        engine.follow({ type: 'transcript' });
        resolve(performance.now() - start);
      },
      failed: (detail) => reject(new Error(detail)),
      tool: ignore,
      warn: ignore,
      knowledge: () => {},
      switched: ignore,
    };
    engine.reply({ turn: index + 1, kind: 'response', words: 'A table please.' }, output);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const quietCall: EngineCall = {
  interrupt: ignore,
  hangUp: ignore,
  fail: (reason, detail) => {
    throw new Error(`${reason}: ${detail}`);
  },
  warn: ignore,
  configure: ignore,
  metadata: ignore,
  suspend: ignore,
  resume: ignore,
  startTool: () => ({ finish: ignore, release: ignore }),
  transfer: () => false,
  pressKeys: () => false,
};
