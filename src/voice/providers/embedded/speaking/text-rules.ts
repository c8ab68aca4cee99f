/** What to replace, and the text instead, or a function of the match and its groups. */
export type Rule = readonly [pattern: RegExp, replacement: string | ((...groups: string[]) => string)];

/** Each rule once, on what the rules before it left. */
export function applyRules(text: string, rules: readonly Rule[]): string {
  // The types of `replace` have no overload for both.
  return rules.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement as string), text);
}
