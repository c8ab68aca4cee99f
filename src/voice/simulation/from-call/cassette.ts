import type { Agent } from '../../../contract/agents/agent.ts';
import type { Cassette } from '../../../contract/simulations/cassette.ts';
import type { SimulationScript } from '../../../contract/simulations/script.ts';
import { parseSteps } from '../../../contract/simulations/steps.ts';
import type { Clock } from '../../clock.ts';
import { engineFor } from '../../engines/choose.ts';
import type { Utterance } from '../../engines/custom-llm/frames.ts';
import type { OpenLlmSocket } from '../../engines/custom-llm/socket.ts';
import type { Llm, LlmRequest } from '../../llm.ts';
import type { Turn } from '../../ports.ts';
import { recordCassette } from '../cassette.ts';
import { modelOn, prepareSimulation, socketOn } from '../prepare.ts';
import type { NewLlm, NewSocket } from '../simulated-engine.ts';
import { runSimulation } from '../simulation.ts';
import { localSocket, recordExchanges } from '../socket-cassette.ts';
import { type PastReply, pastReplies } from './replies.ts';

/** The seed of `voice-agents simulate`. Without noise, every other gives the same. */
const seed = 1;

/**
 * The cassette of a call, from its transcript. A simulation of the call is recorded, in which the model or the server
 * replies what it replied then: so the requests are those of the agent, and a simulation finds their replies.
 */
export function cassetteOfCall(
  agent: Agent,
  script: SimulationScript,
  { turns, endReason }: { readonly turns: readonly Turn[]; readonly endReason: string | null },
) {
  const { steps } = parseSteps(script.steps);
  const past: PastCall = {
    replyTo: pastReplies(turns),
    endsCall: endReason === 'agent_hangup',
    hasOpening: turns[0]?.source === 'begin' && !agent.beginMessage,
  };
  const isCustom = engineFor(agent, true) === 'custom_llm';
  let cassette = (): Cassette => ({ version: 1, replies: [] });
  const newLlm = (clock: Clock): Llm => {
    const recorder = recordCassette(pastModel(past, clock), clock);
    cassette = recorder.cassette;
    return recorder.llm;
  };
  const newSocket = (clock: Clock): OpenLlmSocket => {
    const recorder = recordExchanges(pastServer(past, clock), clock);
    cassette = () => ({ version: 1, replies: [], exchanges: recorder.exchanges() });
    return recorder.open;
  };
  const simulate = (llm: NewLlm, socket: NewSocket) =>
    runSimulation(prepareSimulation(agent, script, steps, isCustom ? null : llm, isCustom ? socket : null), seed);
  simulate(newLlm, newSocket);
  const made = cassette();
  /** What is different when the script is run with it; null: nothing. */
  const difference = simulate(modelOn(made), socketOn(made)).failure;
  return { cassette: made, difference };
}

interface PastCall {
  readonly replyTo: ReturnType<typeof pastReplies>;
  /** The agent hung up. */
  readonly endsCall: boolean;
  /** The server of a custom LLM opened the conversation. */
  readonly hasOpening: boolean;
}

/** A model that replies what it replied in the call. */
function pastModel({ replyTo, endsCall }: PastCall, clock: Clock): Llm {
  return {
    provider: 'past call',
    sentModel: (model) => model,
    reply: ({ messages }: LlmRequest, events) => {
      const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
      const { reply, isLast, complete } = replyTo(said.at(-1) ?? '', said.length);
      const { text, tools, firstTextMs } = reply;
      return clock.after(firstTextMs, () => {
        complete();
        if (text !== '') events.text(text);
        for (const { id, name, arguments: given } of tools) events.tool({ id, name, arguments: JSON.stringify(given) });
        if (isLast && endsCall && tools.length === 0) events.tool({ id: 'end', name: 'end_call', arguments: '{}' });
        events.done();
      });
    },
  };
}

/** A custom LLM server that sends what it sent in the call. */
function pastServer({ replyTo, endsCall, hasOpening }: PastCall, clock: Clock): OpenLlmSocket {
  return localSocket(clock, ({ after, send }) => {
    const respond = (responseId: number, { text, tools }: PastReply, isEnd: boolean): void => {
      const frames: object[] = tools.flatMap(({ id, name, arguments: given, result }) => [
        { response_type: 'tool_call_invocation', tool_call_id: id, name, arguments: JSON.stringify(given) },
        {
          response_type: 'tool_call_result',
          tool_call_id: id,
          content: typeof result === 'string' ? result : JSON.stringify(result ?? null),
        },
      ]);
      const isComplete = tools.length === 0;
      const ending = isEnd && isComplete ? { end_call: true } : {};
      const response = { response_id: responseId, content: text, content_complete: isComplete, ...ending };
      for (const frame of [...frames, { response_type: 'response', ...response }]) send(JSON.stringify(frame));
    };
    return {
      opened: () => {
        if (!hasOpening) return;
        const opening = replyTo('', 0);
        opening.complete();
        respond(0, opening.reply, false);
      },
      receive: (frame) => {
        if (!('response_id' in frame)) return;
        const said = frame.transcript.filter(({ role }: Utterance) => role === 'user').map(({ content }) => content);
        const reply = (): void => {
          const next = replyTo(said.at(-1) ?? '', said.length);
          after(next.reply.firstTextMs, () => {
            next.complete();
            respond(frame.response_id, next.reply, next.isLast && endsCall);
            // A server carries out its tools itself, and goes on.
            if (next.reply.tools.length > 0 && !next.isLast) reply();
          });
        };
        reply();
      },
    };
  });
}
