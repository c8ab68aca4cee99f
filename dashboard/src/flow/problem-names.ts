import { textOf } from '../parts/json-value.ts';
import { type Flow, routesOf, type Skill, waysOf } from './flow.ts';
import { wayLabel } from './skill-preview.ts';
import type { FlowTexts } from './texts.ts';

/** A problem in the words of the editor: where it is, and what to do about it. */
export interface NamedProblem {
  /** Such as `menu · Route 7`. */
  readonly place: string;
  readonly text: string;
}

interface Found {
  /** In the step, such as `routes.6.next`. */
  readonly path: string;
  readonly message: string;
}

/** `say` translates what the service says. */
export function nameProblem(
  skill: Skill | undefined,
  { path, message }: Found,
  texts: FlowTexts,
  say: (message: string) => string,
): NamedProblem {
  const isWay = skill !== undefined && waysOf(skill).some((way) => way.path === path);
  const parts = [skill?.id || texts.unnamed, ...placeWithin(skill, path, texts)];
  return {
    place: parts.join(' · '),
    text: isWay ? wayProblem(skill, path, message, texts, say) : wordsOf(message, texts, say),
  };
}

function wayProblem(
  skill: Skill,
  path: string,
  message: string,
  texts: FlowTexts,
  say: (message: string) => string,
): string {
  if (message === 'is required') return texts.chooseTarget;
  const to = waysOf(skill).find((way) => way.path === path)?.to ?? '';
  return message === 'is not the id of a skill' ? texts.noSuchStep(to) : say(message);
}

function wordsOf(message: string, texts: FlowTexts, say: (message: string) => string): string {
  if (message.startsWith('cannot be reached')) return texts.notReached;
  return say(message);
}

/** `routes.6.when.0` is `Route 7`, `Words`. A route that has a name is still called by its number, as in the form. */
function placeWithin(skill: Skill | undefined, path: string, texts: FlowTexts): readonly string[] {
  if (path === '') return [];
  const [first = '', index, field] = path.split('.');
  if (first === 'routes' && index !== undefined) {
    const route = texts.route(Number(index) + 1);
    return field === undefined || field === 'next' ? [route] : [route, texts.fieldLabel(field)];
  }
  if (first === 'options' && index !== undefined) return [texts.option(Number(index) + 1)];
  if ((first === 'next' || first === 'otherwise') && skill !== undefined) return [wayLabel(skill, first, texts)];
  return [texts.fieldLabel(first)];
}

/** The step of a path in the agent, such as `flow.skills.3.next`, and the path in it. */
export function stepAt(path: string): { readonly position: number; readonly path: string } | null {
  const [, position, rest = ''] = /^flow\.skills\.(\d+)\.?(.*)$/s.exec(path) ?? [];
  return position === undefined ? null : { position: Number(position), path: rest };
}

/** What is searched in a step: everything that can be read in it. */
export function wordsIn(skill: Skill): string {
  const route = routesOf(skill).flatMap(({ when, name, description }) => [
    ...(Array.isArray(when) ? when.map(String) : []),
    textOf(name),
    textOf(description),
  ]);
  const own = ['id', 'text', 'prompt', 'tool', 'transfer', 'variable'].map((name) => textOf(skill[name]));
  return fold([...own, ...route].join('\n'));
}

/** Without case and width, as the service compares names. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** The positions of the steps with these words: those that have them in their id first. */
export function stepsWith(flow: Flow, words: string): readonly number[] {
  const wanted = fold(words.trim());
  if (wanted === '') return flow.skills.map((_, position) => position);
  const found = flow.skills.flatMap((skill, position) => (wordsIn(skill).includes(wanted) ? [position] : []));
  const isNamed = (position: number) => fold(flow.skills[position]?.id ?? '').includes(wanted);
  return found.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)));
}
