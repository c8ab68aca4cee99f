import type { Flow, Skill } from '../../../dashboard/src/flow/flow.ts';

/** A valid flow with loops, long jumps and several routes to the same step. Each listens, so that none is endless. */
export function generatedFlow(count: number, seed: number): Flow {
  const random = randomOf(seed);
  const id = (position: number) => `step_${position}`;
  const anywhere = () => id(Math.floor(random() * count));
  const skills = Array.from({ length: count }, (_, position): Skill => {
    const next = id(Math.min(position + 1, count - 1));
    if (position === count - 1) return { id: id(position), type: 'end', text: 'Goodbye.' };
    if (position % 3 === 0) {
      const routes = Array.from({ length: 1 + (position % 4) }, (_each, index) => ({
        when: [`word ${index}`],
        next: index === 0 ? next : anywhere(),
      }));
      return { id: id(position), type: 'choose', text: `Question ${position}?`, routes, otherwise: anywhere() };
    }
    return {
      id: id(position),
      type: 'ask',
      text: `Question ${position}?`,
      variable: `answer_${position}`,
      as: 'text',
      next,
      otherwise: id(count - 1),
    };
  });
  return { skills };
}

/** Random numbers from 0 to 1 that are the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
