/** How models mark what they only think, if their server does not take it out of the text. */
const tags: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
];
const marks = tags.flat();
/** Nearly every piece of a reply has none of them. */
const firstCharacters = /[<[◁]/;

/** Takes the reasoning out of a text that arrives in pieces, which may split a tag anywhere. */
export class ReasoningFilter {
  readonly #onText: (text: string) => void;
  /** Everything so far was reasoning: its opening tag was a part of the prompt. */
  readonly #onUnopened: () => void;
  /** The end of the text so far, which may be the start of a tag. */
  #rest = '';
  /** The closing tags that may end the reasoning; null outside of it. */
  #closing: readonly string[] | null = null;
  /** The reply starts as if it were reasoning, until a tag shows that it is: as other replies of the model did. */
  #undecided: string | null;
  #isAfterReasoning = false;
  hasReasoning = false;

  constructor(startsInside: boolean, onText: (text: string) => void, onUnopened: () => void) {
    this.#onText = onText;
    this.#onUnopened = onUnopened;
    this.#undecided = startsInside ? '' : null;
  }

  push(text: string): void {
    this.#rest += text;
    while (firstCharacters.test(this.#rest)) {
      const found = this.#nextMark();
      if (found === null) break;
      const { place, mark } = found;
      const before = this.#rest.slice(0, place);
      this.#rest = this.#rest.slice(place + mark.length);
      if (this.#closing !== null) this.#closing = null;
      else this.#readMark(before, mark);
      this.#isAfterReasoning = true;
      this.hasReasoning = true;
    }
    const kept = keptLength(this.#rest, this.#closing ?? marks);
    if (this.#closing === null) this.#emit(this.#rest.slice(0, this.#rest.length - kept));
    this.#rest = kept === 0 ? '' : this.#rest.slice(-kept);
  }

  /** After the last piece. */
  end(): void {
    const rest = this.#closing === null ? this.#rest : '';
    // Without a tag, the model has not thought this time.
    const undecided = this.#undecided ?? '';
    this.#undecided = null;
    this.#rest = '';
    this.#emit(undecided + rest);
  }

  /** A tag outside of reasoning. */
  #readMark(before: string, mark: string): void {
    const closing = tags.find(([open]) => open === mark)?.[1];
    const undecided = this.#undecided;
    this.#undecided = null;
    if (closing !== undefined || this.hasReasoning) {
      this.#emit((undecided ?? '') + before);
      this.#closing = closing === undefined ? null : [closing];
    } else this.#onUnopened();
  }

  #nextMark(): { readonly place: number; readonly mark: string } | null {
    const text = this.#rest.toLowerCase();
    // A character whose lower case is longer would move every place after it.
    if (text.length !== this.#rest.length) return nextMark(this.#rest, this.#closing ?? marks);
    return nextMark(text, this.#closing ?? marks);
  }

  #emit(text: string): void {
    if (this.#undecided !== null) {
      this.#undecided += text;
      return;
    }
    // The line breaks after the tag are no part of the reply.
    const reply = this.#isAfterReasoning ? text.trimStart() : text;
    if (reply === '') return;
    this.#isAfterReasoning = false;
    this.#onText(reply);
  }
}

function nextMark(text: string, wanted: readonly string[]): { readonly place: number; readonly mark: string } | null {
  let first: { readonly place: number; readonly mark: string } | null = null;
  for (const mark of wanted) {
    const place = text.indexOf(mark);
    if (place !== -1 && (first === null || place < first.place)) first = { place, mark };
  }
  return first;
}

/** How much of the end could be the start of one of these. */
function keptLength(text: string, wanted: readonly string[]): number {
  if (!firstCharacters.test(text)) return 0;
  const end = text.slice(-Math.max(...wanted.map(({ length }) => length - 1))).toLowerCase();
  for (let start = 0; start < end.length; start += 1) {
    const tail = end.slice(start);
    if (wanted.some((mark) => mark.startsWith(tail))) return end.length - start;
  }
  return 0;
}
