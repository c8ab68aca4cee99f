import type { KnowledgeBase } from '../../../../sdk/src/index.ts';
import { isObject } from '../../../contract/json-object.ts';

type Known = readonly Pick<KnowledgeBase, 'id' | 'name'>[];

/**
 * A copy of the fields of an agent, or of a patch of them, in which knowledge bases are named by `rename`. Anything that
 * is not a list of bases stays as it is: the service reports it.
 */
function renamed<T extends object>(fields: T, rename: (base: object) => object): T {
  const { agentSettings } = fields as { readonly agentSettings?: unknown };
  const knowledge = isObject(agentSettings) ? agentSettings.knowledge : undefined;
  const bases = isObject(knowledge) ? knowledge.bases : undefined;
  if (!isObject(agentSettings) || !isObject(knowledge) || !Array.isArray(bases)) return fields;
  const named = bases.map((base: unknown) => (isObject(base) ? rename(base) : base));
  return { ...fields, agentSettings: { ...agentSettings, knowledge: { ...knowledge, bases: named } } };
}

/** With ids instead of names. A name that no base has stays: an apply may create it. */
export function withBaseIds<T extends object>(fields: T, known: Known): T {
  return renamed(fields, (base) => {
    const name = nameIn(base);
    const id = name === null ? undefined : known.find((each) => each.name === name)?.id;
    return id === undefined ? base : { id };
  });
}

/** With names instead of ids, where only one base has the name. */
export function withBaseNames<T extends object>(fields: T, known: Known): T {
  return renamed(fields, (base) => {
    const name = known.find(({ id }) => 'id' in base && base.id === id)?.name;
    const isClear = name !== undefined && known.filter((each) => each.name === name).length === 1;
    return isClear && Object.keys(base).length === 1 ? { name } : base;
  });
}

/** The names of bases in the fields of an agent, in order. */
export function baseNamesIn(fields: object): string[] {
  const names: string[] = [];
  renamed(fields, (base) => {
    const name = nameIn(base);
    if (name !== null) names.push(name);
    return base;
  });
  return names;
}

/** Null if the base is not named by its name alone. */
function nameIn(base: object): string | null {
  return 'name' in base && typeof base.name === 'string' && Object.keys(base).length === 1 ? base.name : null;
}
