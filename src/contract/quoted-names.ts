/** The names in code style, for descriptions. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
