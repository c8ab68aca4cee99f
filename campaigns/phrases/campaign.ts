import { type CompiledFlow, compileFlow } from '../../src/voice/engines/flow/compile.ts';
import { advance } from '../../src/voice/engines/flow/conversation.ts';
import { type FlowState, type FlowStep, openingState } from '../../src/voice/engines/flow/state.ts';
import { defineCampaign } from '../campaign.ts';
import { hostileText } from './hostile-text.ts';
import { randomFlow } from './random-flow.ts';

/** How long nothing else may happen in the process. */
const maxMs = 50;
/** A busy machine makes anything slow at times: what is too slow each time is too slow. */
const tries = 3;
const textsPerFlow = 12;
const facts = { now: Date.UTC(2026, 10, 15), variables: {}, agentVariables: {}, metadata: {}, hasModel: false };

/** Random flows without a service: what is measured is the processor time of the only thread. */
export const phrases = defineCampaign({
  name: 'phrases',
  about:
    'Flows with random patterns that can be published, and callers who write what makes them slow: no reply may stop the process for more than 50 ms, and the same words are always understood in the same way.',
  runsOn: ['sqlite'],
  amounts: { full: { patterns: 10_000 }, small: { patterns: 400 } },
  async run({ amount, random, isOver, found, showProgress }) {
    const figures = { patterns: 0, flows: 0, replies: 0, 'over the limit': 0, 'longest in ms': 0 };
    while (figures.patterns < amount.patterns && !isOver()) {
      const language = random.pick(['ja', 'en']);
      const { flow, patterns } = randomFlow(random, language);
      const newFlow = () => compileFlow(flow, { language });
      const compiled = newFlow();
      figures.patterns += patterns;
      figures.flows += 1;
      const states: FlowState[] = [opened(compiled)];
      for (let text = 0; text < textsPerFlow; text += 1) {
        const words = hostileText(random);
        const state = random.pick(states);
        const about = `flow ${figures.flows}, ${JSON.stringify(words.slice(0, 40))}`;
        const { step, ms: first } = reply(compiled, state, words);
        let ms = first;
        for (let more = 1; ms > maxMs && more < tries; more += 1) ms = Math.min(ms, reply(newFlow(), state, words).ms);
        figures.replies += 1;
        figures['longest in ms'] = Math.max(figures['longest in ms'], ms);
        if (ms > maxMs) found(`${about}: ${ms} ms of processor time`);
        if (isOverLimit(step)) figures['over the limit'] += 1;
        if (text % 4 === 0 && !isSame(step, reply(newFlow(), state, words).step))
          found(`${about}: understood in two ways`);
        if (step.state.phase !== 'ended') states.push(step.state);
      }
      showProgress(`${figures.patterns.toLocaleString('en')} patterns`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return figures;
  },
});

function reply(flow: CompiledFlow, state: FlowState, words: string): { readonly step: FlowStep; readonly ms: number } {
  const before = process.threadCpuUsage();
  const step = advance(flow, state, { type: 'heard', words }, facts);
  const { user, system } = process.threadCpuUsage(before);
  return { step, ms: Math.round((user + system) / 100) / 10 };
}

function opened(flow: CompiledFlow): FlowState {
  return advance(flow, openingState(flow.start), { type: 'start' }, facts).state;
}

function isOverLimit({ outputs }: FlowStep): boolean {
  return outputs.some((output) => output.type === 'warning' && output.code === 'understanding_limit');
}

function isSame(one: FlowStep, other: FlowStep): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
