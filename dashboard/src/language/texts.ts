/** A text, or one that is put together from what is given. */
type Text = string | ((...given: never[]) => string);

/** The same names, with texts of their own. */
type Translated<Texts> = { readonly [Name in keyof Texts]: Texts[Name] extends string ? string : Texts[Name] };

export interface BothLanguages<Texts> {
  readonly en: Translated<Texts>;
  readonly ja: Translated<Texts>;
}

/** The texts of a page in both languages. One that is missing in one of them does not compile. */
export function inBothLanguages<Texts extends Record<string, Text>>(
  en: Texts,
  ja: Translated<NoInfer<Texts>>,
): BothLanguages<Texts> {
  return { en, ja } as BothLanguages<Texts>;
}
