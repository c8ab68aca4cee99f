import { answerKinds } from '../../src/contract/agents/settings/answer-kinds.ts';
import { type Flow, flowSchema } from '../../src/contract/agents/settings/flow.ts';
import { flowIssues } from '../../src/voice/engines/flow/validate.ts';
import { phraseIssues } from '../../src/voice/understanding/phrases.ts';
import type { Random } from '../random.ts';
import { letters, randomPattern } from './random-pattern.ts';

export interface RandomFlow {
  readonly flow: Flow;
  readonly patterns: number;
}

/** A flow that can be published, with patterns in all places where phrases are. */
export function randomFlow(random: Random, language: string): RandomFlow {
  // Most hold a few; some hold as many as are allowed.
  for (let size = random.pick([1, 3, 10, 100, 500]); ; size = Math.max(1, size >> 1)) {
    const flow = flowOf(random, size);
    const parsed = flowSchema.safeParse(flow);
    if (!parsed.success) continue;
    const { errors } = flowIssues(parsed.data, { language, toolNames: [], variableNames: [] });
    if (errors.length === 0) return { flow: parsed.data, patterns: patternsIn(parsed.data) };
  }
}

function flowOf(random: Random, size: number): unknown {
  const taken = new Set<string>();
  const phrases = (count: number): string[] =>
    Array.from({ length: count }, () => newPhrase(random, taken)).filter((phrase) => phrase !== '');
  const perRoute = Math.min(100, size);
  const routes = Array.from({ length: Math.min(50, Math.ceil(size / perRoute)) }, () => ({
    when: ['zzz', ...phrases(perRoute - 1)].slice(-perRoute),
    next: 'ask',
  }));
  const options = [
    { value: 'one', say: ['qqq', ...phrases(Math.min(50, size))] },
    { value: 'two', say: ['vvv', ...phrases(2)] },
  ];
  const as = random.pick(answerKinds);
  return {
    skills: [
      { id: 'choose', type: 'choose', text: '?', routes: unique(routes), otherwise: 'bye', retry: { max: 5 } },
      {
        ...{ id: 'ask', type: 'ask', text: '?', variable: 'v', as, next: 'bye', otherwise: 'bye', retry: { max: 5 } },
        ...(as === 'choice' && { options }),
        ...(random.chance(0.5) && { confirm: true }),
      },
      { id: 'bye', type: 'end' },
    ],
    anytime: [{ when: ['yyy', ...phrases(Math.min(20, size))], repeat: true }],
  };
}

/** An equal phrase in two routes is an error. */
function unique<R extends { readonly when: readonly string[] }>(routes: readonly R[]): R[] {
  return routes.map((route, index) => ({
    ...route,
    when: route.when.map((phrase) => (phrase === 'zzz' ? `zzz${index}` : phrase)),
  }));
}

function newPhrase(random: Random, taken: Set<string>): string {
  const phrase = random.chance(0.8)
    ? `/${randomPattern(random)}/`
    : Array.from({ length: random.int(2, 40) }, () => random.pick(letters))
        .join('')
        .trim();
  if (taken.has(phrase) || phrase.length > 500 || phraseIssues(phrase).length > 0) return '';
  taken.add(phrase);
  return phrase;
}

function patternsIn({ skills, anytime = [] }: Flow): number {
  const lists = [
    ...anytime.map(({ when }) => when),
    ...skills.flatMap((skill) => (skill.type === 'choose' ? skill.routes.map(({ when }) => when) : [])),
    ...skills.flatMap((skill) => (skill.type === 'ask' ? (skill.options ?? []).map(({ say }) => say) : [])),
  ];
  return lists.flat().filter((phrase) => phrase.startsWith('/')).length;
}
