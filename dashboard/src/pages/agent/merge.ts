import { type Field, fields } from './fields.ts';
import { isSame, type Values } from './values.ts';

export type Side = 'mine' | 'theirs';

/** The fields each side has changed since the common base. */
export interface Comparison {
  /** Changed by both sides, differently: the user has to choose. */
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

/** Their version with my changes. For conflicts, the chosen side, or mine if nothing was chosen. */
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
