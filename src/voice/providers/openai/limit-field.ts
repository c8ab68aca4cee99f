export type LimitField = 'max_completion_tokens' | 'max_tokens';

/** The names of models are the agents', so that there may be any number. */
const maxModels = 1000;

/**
 * Which field limits the tokens of a reply, by model. OpenAI's newer models refuse the old one; some servers refuse the
 * new one, and others ignore it.
 */
export class LimitFields {
  readonly #known = new Map<string, { readonly field: LimitField; readonly isOnlyOne: boolean }>();

  /** The newer one, unless the model is known to need the other. */
  of(model: string): LimitField {
    return this.#known.get(model)?.field ?? 'max_completion_tokens';
  }

  /** Whether a refused request is worth one more try with the other field. */
  isWorthARetry(model: string, refusal: string): boolean {
    return !this.#known.has(model) || /max_(?:completion_)?tokens/.test(refusal);
  }

  /** The model has replied. `isOtherRefused`: after it had refused the other field. */
  replied(model: string, field: LimitField, isOtherRefused: boolean, isLimitExceeded: boolean): void {
    const isOnlyOne = isOtherRefused || this.#known.get(model)?.isOnlyOne === true;
    // A server that does not know the newer field often ignores it, and may know the older one.
    const next = isLimitExceeded && !isOnlyOne ? 'max_tokens' : field;
    if (!this.#known.has(model) && this.#known.size >= maxModels) this.#known.clear();
    this.#known.set(model, { field: next, isOnlyOne });
  }
}

export function otherField(field: LimitField): LimitField {
  return field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
}
