/**
 * Short language names for a narrow column: "Japanese (JP)", with script and region as in the tag. The language of an
 * agent can be any text: invalid tags are shown as they are. Results are cached, because a lookup is slow.
 */
export function createLanguageNames(language: string): (tag: string) => string {
  const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
  const known = new Map<string, string>();
  return (tag) => {
    const name = known.get(tag) ?? nameOf(tag, names);
    known.set(tag, name);
    return name;
  };
}

function nameOf(tag: string, names: Intl.DisplayNames): string {
  try {
    const { language, script, region } = new Intl.Locale(tag);
    const name = names.of(language);
    const place = [script, region].filter((part) => part !== undefined).join('-');
    if (name === undefined) return tag;
    return place === '' ? name : `${name} (${place})`;
  } catch {
    return tag;
  }
}
