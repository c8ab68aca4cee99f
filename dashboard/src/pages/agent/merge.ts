import { type Field, fields } from './fields.ts';
import { isSame, type Values } from './values.ts';

export type Side = 'mine' | 'theirs';

/** Which fields who has changed since both began with the same. */
export interface Comparison {
  /** Both, and not alike: somebody has to choose. */
  readonly conflicting: readonly Field[];
  readonly onlyTheirs: readonly Field[];
  readonly onlyMine: readonly Field[];
}

export function compareThree(base: Values, theirs: Values, mine: Values): Comparison {
  const isMine = ({ name }: Field) => !isSame(base[name], mine[name]);
  const isTheirs = ({ name }: Field) => !isSame(base[name], theirs[name]);
  const isAlike = ({ name }: Field) => isSame(theirs[name], mine[name]);
  return {
    conflicting: fields.filter((field) => isMine(field) && isTheirs(field) && !isAlike(field)),
    onlyTheirs: fields.filter((field) => isTheirs(field) && !isMine(field)),
    onlyMine: fields.filter((field) => isMine(field) && !isTheirs(field)),
  };
}

/** Theirs, with what I have changed: where both have, what was chosen, and mine where nothing was. */
export function merge(
  base: Values,
  theirs: Values,
  mine: Values,
  choices: Readonly<Record<string, Side>> = {},
): Values {
  const entries = fields.map(({ name }) => {
    const isMine = !isSame(base[name], mine[name]) && choices[name] !== 'theirs';
    return [name, isMine ? mine[name] : theirs[name]];
  });
  return Object.fromEntries(entries);
}
