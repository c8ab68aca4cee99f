/** What applies to an agent without these settings, as in the contract. */
export const attachedDefaults = { limit: 5, minScore: 0.04, minSemanticScore: 0.4 } as const;
export const maxAttachedBases = 10;

/** `agentSettings.knowledge`, as far as the editor shows it. */
export interface AttachedKnowledge {
  readonly ids: readonly string[];
  readonly limit: number;
  readonly minScore: number;
  readonly minSemanticScore: number;
}

type Settings = Readonly<Record<string, unknown>>;

/** Null if it is something else than a list of bases, which only the JSON can show. */
export function attachedIn({ knowledge }: Settings): AttachedKnowledge | null {
  if (knowledge === undefined) return { ids: [], ...attachedDefaults };
  const { bases, ...rest } = (knowledge ?? {}) as Settings;
  if (!Array.isArray(bases) || !bases.every((base) => typeof base?.id === 'string')) return null;
  const numberOf = (name: keyof typeof attachedDefaults) => {
    const given = rest[name];
    return typeof given === 'number' ? given : attachedDefaults[name];
  };
  return {
    ids: bases.map(({ id }) => id),
    limit: numberOf('limit'),
    minScore: numberOf('minScore'),
    minSemanticScore: numberOf('minSemanticScore'),
  };
}

/** The settings with other bases. The other settings of knowledge stay, unless no base is left. */
export function withBases(settings: Settings, ids: readonly string[]): Settings {
  const { knowledge, ...others } = settings;
  if (ids.length === 0) return others;
  return { ...settings, knowledge: { ...(knowledge as object | undefined), bases: ids.map((id) => ({ id })) } };
}
