/** Text in a form that people and models see alike. */

/**
 * Everything that Unicode defines as not displayed: zero-width characters, bidirectional controls, tags, variation
 * selectors, soft hyphens. They hide instructions from people, not from models, and words from search.
 */
const invisible = /\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/gu;
/** Characters that change or hide what is read. Other invisible ones are in many ordinary texts, and need no warning. */
const deceptive = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;
const controls = /[\u0000-\u0008\u000B\u000E-\u001F\u007F-\u009F]/g;
const lineEnds = /\r\n?|[\u0085\u2028\u2029\f]/g;

export interface CleanText {
  readonly text: string;
  /** Whether characters were removed that hide text. */
  readonly hadHiddenText: boolean;
}

/** Without invisible characters. Lines end with a line feed. */
export function cleanText(source: string): CleanText {
  const text = source.toWellFormed().replace(lineEnds, '\n').replace(controls, '').replace(invisible, '');
  return { text, hadHiddenText: deceptive.test(source) };
}

/** One line with single spaces. */
export function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
