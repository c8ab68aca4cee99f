/** A text, or a function that builds one. */
type Text = string | ((...given: never[]) => string);

/** The same keys, with texts in another language. */
type Translated<Texts> = { readonly [Name in keyof Texts]: Texts[Name] extends string ? string : Texts[Name] };

export interface BothLanguages<Texts> {
  readonly en: Translated<Texts>;
  readonly ja: Translated<Texts>;
}

/** The texts of a page in both languages. A missing translation is a compile error. */
export function inBothLanguages<Texts extends Record<string, Text>>(
  en: Texts,
  ja: Translated<NoInfer<Texts>>,
): BothLanguages<Texts> {
  return { en, ja } as BothLanguages<Texts>;
}
