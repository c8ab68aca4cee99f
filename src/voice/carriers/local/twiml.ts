/** TwiML documents. Anything that this carrier does not support is an error, so that nobody relies on it. */

export interface Verb {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Verb[];
  /** Without the space around it. */
  readonly text: string;
}

/** A verb of a document, not one within another. */
export interface DocumentVerb extends Verb {
  readonly name: (typeof verbNames)[number];
}

/** With Twilio's code: 11200 no document, 12100 not XML, 12200 unknown verbs or attributes, 12300 not a document. */
export class DocumentError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const maxDocumentBytes = 64 * 1024;
const maxElements = 200;
const maxDepth = 5;

interface Grammar {
  readonly attributes: readonly string[];
  readonly children: readonly string[];
  readonly hasText: boolean;
}

const callback = ['statusCallback', 'statusCallbackMethod'];
const verbNames = ['Connect', 'Redirect', 'Reject', 'Hangup', 'Say', 'Pause', 'Play', 'Gather', 'Dial'] as const;
const grammars: Readonly<Record<string, Grammar>> = {
  Response: element([], verbNames),
  Connect: element(['action', 'method'], ['Stream']),
  Stream: element(['url', 'name', 'track', ...callback], ['Parameter']),
  Parameter: element(['name', 'value']),
  Redirect: textElement(['method']),
  Reject: element(['reason']),
  Hangup: element([]),
  Say: textElement(['voice', 'language', 'loop']),
  Pause: element(['length']),
  Play: textElement(['digits', 'loop']),
  Gather: element(
    [
      ...['input', 'action', 'method', 'timeout', 'speechTimeout', 'numDigits', 'finishOnKey', 'language'],
      ...['hints', 'actionOnEmptyResult', 'bargeIn', 'profanityFilter', 'speechModel', 'enhanced'],
    ],
    ['Say', 'Pause', 'Play'],
  ),
  Dial: textElement(
    ['action', 'method', 'timeout', 'callerId', 'timeLimit', 'answerOnBridge', 'ringTone'],
    ['Number', 'Conference'],
  ),
  Number: textElement(['sendDigits', 'statusCallbackEvent', ...callback]),
  Conference: textElement([
    ...['startConferenceOnEnter', 'endConferenceOnExit', 'beep', 'waitUrl', 'waitMethod', 'maxParticipants'],
    ...['statusCallbackEvent', ...callback],
  ]),
};

/** The verbs of a document. */
export function parseDocument(text: string): readonly DocumentVerb[] {
  if (Buffer.byteLength(text) > maxDocumentBytes) throw new DocumentError(11_750, 'The document exceeds 64 KB.');
  const root = new XmlReader(text).read();
  if (root.name !== 'Response') throw new DocumentError(12_100, `The document starts with <${root.name}>.`);
  check(root);
  return root.children as readonly DocumentVerb[];
}

function element(attributes: readonly string[], children: readonly string[] = []): Grammar {
  return { attributes, children, hasText: false };
}

function textElement(attributes: readonly string[], children: readonly string[] = []): Grammar {
  return { attributes, children, hasText: true };
}

function check(verb: Verb): void {
  const grammar = grammars[verb.name];
  if (grammar === undefined) throw new DocumentError(12_200, `Unknown element <${verb.name}>.`);
  for (const name of Object.keys(verb.attributes)) {
    if (grammar.attributes.includes(name)) continue;
    throw new DocumentError(12_200, `Unknown attribute ${name} of <${verb.name}>.`);
  }
  if (verb.text !== '' && !grammar.hasText) throw new DocumentError(12_200, `Text in <${verb.name}>.`);
  for (const child of verb.children) {
    if (!grammar.children.includes(child.name)) {
      throw new DocumentError(12_200, `<${child.name}> in <${verb.name}> is not known.`);
    }
    check(child);
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Elements, attributes, text, CDATA, comments: no declarations of entities and no namespaces. */
class XmlReader {
  readonly #text: string;
  #at = 0;
  #elements = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, '');
  }

  read(): Verb {
    this.#skip();
    const root = this.#element(1);
    this.#skip();
    if (this.#at < this.#text.length) throw malformed('there is something after its end');
    return root;
  }

  /** The declaration, comments and space around the root. */
  #skip(): void {
    this.#match(/(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)*/y);
  }

  #element(depth: number): Verb {
    this.#elements += 1;
    if (this.#elements > maxElements || depth > maxDepth) throw malformed('it has too many elements');
    const name = this.#match(/<([A-Za-z]\w*)/y)?.[1];
    if (name === undefined) throw malformed(`no element at ${this.#at}`);
    const attributes = this.#attributes();
    const isEmpty = this.#match(/\s*(\/?)>/y)?.[1];
    if (isEmpty === undefined) throw malformed(`<${name}> is not closed`);
    if (isEmpty === '/') return { name, attributes, children: [], text: '' };
    const children: Verb[] = [];
    let text = '';
    for (;;) {
      const end = this.#match(/<\/([A-Za-z]\w*)\s*>/y);
      if (end !== null) {
        if (end[1] !== name) throw malformed(`<${name}> ends with </${end[1]}>`);
        return { name, attributes, children, text: text.trim() };
      }
      const raw = this.#match(/<!\[CDATA\[([\s\S]*?)\]\]>/y);
      const plain = raw === null ? this.#match(/[^<]+/y) : null;
      if (raw !== null) text += raw[1];
      else if (plain !== null) text += unescaped(plain[0]);
      else if (this.#match(/<!--[\s\S]*?-->/y) === null) children.push(this.#element(depth + 1));
    }
  }

  #attributes(): Record<string, string> {
    const attributes: Record<string, string> = {};
    for (;;) {
      const found = this.#match(/\s+([A-Za-z][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y);
      if (found === null) return attributes;
      const [, name = '', double, single] = found;
      if (Object.hasOwn(attributes, name)) throw malformed(`the attribute ${name} is there twice`);
      attributes[name] = unescaped(double ?? single ?? '');
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

function unescaped(text: string): string {
  return text.replace(/&([^;&]*);?/g, (whole, name: string) => {
    const code = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
    const point = code === null ? -1 : Number.parseInt(code[1] ?? code[2] ?? '', code[1] === undefined ? 10 : 16);
    if (whole.endsWith(';') && point >= 0 && point <= 0x10_ff_ff) return String.fromCodePoint(point);
    const character = whole.endsWith(';') ? entities[name] : undefined;
    if (character === undefined) throw malformed('an & is not escaped');
    return character;
  });
}

function malformed(why: string): DocumentError {
  return new DocumentError(12_100, `The document cannot be parsed: ${why}.`);
}
