/**
 * Names of languages for a narrow column: "Japanese (JP)", with script and region as they are in the tag. Agents may hold
 * any text as their language: what is no tag stays as it is. Each is looked up once, which takes as long as a whole row.
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
