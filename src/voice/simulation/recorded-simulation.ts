import type { Agent } from '../../contract/agents/agent.ts';
import type { Cassette } from '../../contract/simulations/cassette.ts';
import type { SimulationScript } from '../../contract/simulations/script.ts';
import type { Step } from '../../contract/simulations/steps.ts';
import { type Clock, realClock } from '../clock.ts';
import type { LlmSocketEvents, OpenLlmSocket } from '../engines/custom-llm/socket.ts';
import type { Llm } from '../llm.ts';
import { recordCassette } from './cassette.ts';
import { prepareSimulation } from './prepare.ts';
import { type Pace, runAtPace } from './simulation.ts';
import { recordExchanges } from './socket-cassette.ts';

/** What replies in a simulation that is recorded. */
export type Live = { readonly llm: Llm } | { readonly socket: OpenLlmSocket };

/** How often the clock of a run catches up with the real one. */
const stepMs = 5;

/** Runs a script once, in real time, with a model or a server that is asked, and records what it sends. */
export async function recordSimulation(
  agent: Agent,
  script: SimulationScript,
  steps: readonly Step[],
  live: Live,
  seed: number,
) {
  const startedAt = realClock.now();
  const pace: Pace = {
    elapsedMs: () => realClock.now() - startedAt,
    wait: () => new Promise((resolve) => realClock.after(stepMs, resolve)),
  };
  let cassette = (): Cassette => ({ version: 1, replies: [] });
  const newLlm = (clock: Clock, llm: Llm): Llm => {
    const recorder = recordCassette(llmAtPace(llm, arrivals(clock, pace)), clock);
    cassette = recorder.cassette;
    return recorder.llm;
  };
  const newSocket = (clock: Clock, open: OpenLlmSocket): OpenLlmSocket => {
    const recorder = recordExchanges(socketAtPace(open, arrivals(clock, pace)), clock);
    cassette = () => ({ version: 1, replies: [], exchanges: recorder.exchanges() });
    return recorder.open;
  };
  const simulation = prepareSimulation(
    agent,
    script,
    steps,
    'llm' in live ? (clock) => newLlm(clock, live.llm) : null,
    'socket' in live ? (clock) => newSocket(clock, live.socket) : null,
  );
  const result = await runAtPace(simulation, seed, pace);
  return { result, cassette: cassette() };
}

/** Puts what arrives from outside on the clock of the run, at the time at which it arrived. */
function arrivals(clock: Clock, pace: Pace): (arrive: () => void) => void {
  return (arrive) => {
    clock.after(pace.elapsedMs() - clock.now(), arrive);
  };
}

function llmAtPace(llm: Llm, later: (arrive: () => void) => void): Llm {
  return {
    ...llm,
    reply: (request, events) => {
      let isCanceled = false;
      const arrive = (run: () => void) =>
        later(() => {
          if (!isCanceled) run();
        });
      const cancel = llm.reply(request, {
        text: (text) => arrive(() => events.text(text)),
        tool: (call) => arrive(() => events.tool(call)),
        usage: (usage) => arrive(() => events.usage(usage)),
        done: () => arrive(() => events.done()),
        failed: (detail, failure) => arrive(() => events.failed(detail, failure)),
      });
      return () => {
        isCanceled = true;
        cancel();
      };
    },
  };
}

function socketAtPace(open: OpenLlmSocket, later: (arrive: () => void) => void): OpenLlmSocket {
  return (events: LlmSocketEvents) => {
    let isOver = false;
    const arrive = (run: () => void) =>
      later(() => {
        if (!isOver) run();
      });
    const cancel = open({
      opened: (socket) =>
        arrive(() =>
          events.opened({
            ...socket,
            close: (code) => {
              isOver = true;
              socket.close(code);
            },
          }),
        ),
      failed: (detail, isFinal) => arrive(() => events.failed(detail, isFinal)),
      message: (text, bytes) => arrive(() => events.message(text, bytes)),
      control: () => arrive(() => events.control()),
      closed: (code, detail) => arrive(() => events.closed(code, detail)),
    });
    return () => {
      isOver = true;
      cancel();
    };
  };
}
