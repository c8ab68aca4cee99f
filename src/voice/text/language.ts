/** Languages are BCP 47 tags. Tables exist for Japanese and English; every other language uses the English one. */
export function isJapanese(language: string): boolean {
  return /^ja(?:[-_]|$)/i.test(language);
}

/** The tag as `Intl` accepts it: an agent's language is free text, and an invalid tag must not fail a call. */
export function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return isJapanese(language) ? 'ja' : 'en';
  }
}

/** `ja` of `ja-JP`, in lower case. */
export function primaryLanguage(language: string): string {
  return (language.split(/[-_]/)[0] ?? '').toLowerCase();
}
