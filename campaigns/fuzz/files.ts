import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { documentErrorCodes } from '../../src/contract/knowledge/document.ts';
import {
  docxFile,
  docxParts,
  japanesePdfLines,
  pdfFile,
  pdfLines,
  wordParagraph,
  zipFile,
} from '../../test/areas/knowledge/extraction/files.ts';
import { AbortedRun, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import type { Random } from '../random.ts';

interface FileFuzz {
  readonly run: Pick<Run, 'random' | 'found' | 'isOver'>;
  readonly port: number;
  readonly key: string;
  readonly files: number;
}

interface HostileFile {
  readonly name: string;
  readonly content: Buffer;
  /** How its document may end, if it is known. */
  readonly outcomes?: readonly string[];
}

const mebibyte = 1024 * 1024;
const atOnce = 6;
/** Twice what a claimed document may take: others wait before it. */
const maxSettleMs = 600_000;

/** Uploads files that are broken or made to exhaust their reader. Each document has to settle as documented. */
export async function fuzzFiles({ run, port, key, files }: FileFuzz) {
  const connection = new Connection(port);
  const created = await connection.request('POST', '/api/v1/knowledge-bases', { key, body: { name: 'Fuzz' } });
  connection.close();
  const baseId: string = JSON.parse(created.body.toString()).id;
  const planned = plan(run.random, files);
  const outcomes = new Map<string, number>();
  const lane = async () => {
    const own = new Uploader(port, key, baseId);
    for (let file = planned.pop(); file !== undefined && !run.isOver(); file = planned.pop()) {
      const outcome = await own.outcomeOf(file, run.found);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const isExpected = file.outcomes?.includes(outcome) ?? isDocumented(outcome);
      if (!isExpected) run.found(`the document of ${file.name} ended with ${outcome}`);
    }
    own.close();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const ready = outcomes.get('ready') ?? 0;
  const all = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const codes = [...outcomes.keys()].filter((outcome) => outcome !== 'ready').sort();
  return { files: all, 'files read': ready, 'failed with': codes.join(' ') };
}

function isDocumented(outcome: string): boolean {
  return outcome === 'ready' || (documentErrorCodes as readonly string[]).includes(outcome);
}

class Uploader {
  readonly #connection: Connection;
  readonly #key: string;
  readonly #path: string;

  constructor(port: number, key: string, baseId: string) {
    this.#connection = new Connection(port);
    this.#key = key;
    this.#path = `/api/v1/knowledge-bases/${baseId}/documents`;
  }

  close(): void {
    this.#connection.close();
  }

  /** `ready`, or the code of the error. */
  async outcomeOf({ name, content }: HostileFile, found: (what: string) => void): Promise<string> {
    const file = { name, sizeBytes: content.length, sha256: hash('sha256', content) };
    const { id, upload } = await this.#ask('POST', '', { file });
    const { pathname } = new URL(upload.url, 'http://localhost');
    const sent = await this.#connection.request('PUT', pathname, { rawBody: content });
    if (sent.status !== 200) found(`the upload of ${name} was answered with ${sent.status}`);
    const deadline = performance.now() + maxSettleMs;
    for (;;) {
      const { status, error } = await this.#ask('GET', `/${id}`);
      if (status === 'ready' || status === 'failed') {
        await this.#ask('DELETE', `/${id}`);
        return status === 'ready' ? 'ready' : error.code;
      }
      if (performance.now() > deadline) throw new AbortedRun(`the document of ${name} stays ${status}`);
      await delay(50);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the operation.
  async #ask(method: string, part: string, body?: object): Promise<any> {
    const options = { key: this.#key, ...(body === undefined ? {} : { body }) };
    const reply = await this.#connection.request(method, this.#path + part, options);
    if (reply.status > 201) throw new AbortedRun(`${method} of a document was answered with ${reply.status}`);
    return JSON.parse(reply.body.toString());
  }
}

/** Each of the made ones, then valid files with random damage. */
function plan(random: Random, count: number): HostileFile[] {
  const made = exhausting();
  const damaged = Array.from({ length: Math.max(0, count - made.length) }, () => damagedFile(random));
  return [...damaged, ...random.shuffled(made)];
}

function exhausting(): HostileFile[] {
  const row = (prefix: string) => Array.from({ length: 10_000 }, (_, column) => `${prefix}${column}`).join(',');
  const bomb = { ...docxParts(''), 'word/document.xml': Buffer.alloc(30 * mebibyte) };
  const nested = '<w:tbl><w:tr><w:tc>'.repeat(20_000);
  return [
    { name: 'bomb.docx', content: zipFile(bomb), outcomes: ['too_large'] },
    { name: 'lying-bomb.docx', content: zipFile(bomb, { unpackedBytes: 1000 }), outcomes: ['too_large'] },
    { name: 'bomb.pdf', content: pdfFile([Buffer.alloc(300 * mebibyte, 'q ')]) },
    { name: 'columns.csv', content: Buffer.from(`${row('c')}\n${row('v')}`), outcomes: ['ready'] },
    {
      name: 'columns.html',
      content: Buffer.from(`<!doctype html><table><tr><td>${row('v').replaceAll(',', '<td>')}</table>`),
      outcomes: ['ready'],
    },
    { name: 'nested.html', content: Buffer.from('<div>'.repeat(500_000)), outcomes: ['corrupt', 'too_large'] },
    { name: 'nested.docx', content: docxFile(nested), outcomes: ['corrupt', 'too_large'] },
    { name: 'font.pdf', content: pdfFile(['BT /F9 12 Tf 72 700 Td (Hello) Tj ET']), outcomes: ['ready'] },
    { name: 'pages.pdf', content: pdfFile(Array.from({ length: 3001 }, () => '')), outcomes: ['too_large'] },
    { name: 'long.txt', content: Buffer.from('あ'.repeat(3_000_001)), outcomes: ['too_large'] },
  ];
}

const sentence = '返品は三十日以内です。 Returns are possible within 30 days. ';

function damagedFile(random: Random): HostileFile {
  const valid: readonly (readonly [string, () => Buffer])[] = [
    ['a.pdf', () => pdfFile([pdfLines(['Returns', 'within 30 days']), japanesePdfLines(['95d4956982cd'])])],
    ['a.docx', () => docxFile(wordParagraph(sentence, { style: '1' }) + wordParagraph(sentence.repeat(20)))],
    ['a.html', () => Buffer.from(`<!doctype html><title>A</title><h1>B</h1><table><tr><td>${sentence}</table>`)],
    ['a.csv', () => Buffer.from(`question,answer\n"${sentence}","${sentence}"\n`.repeat(10))],
    ['a.md', () => Buffer.from(`# A\n\n${sentence.repeat(30)}\n\n| a | b |\n|---|---|\n| c | d |\n`)],
  ];
  const [name, content] = random.pick(valid);
  return { name: `${random.int(0, 1e9)}-${name}`, content: damaged(content(), random) };
}

function damaged(valid: Buffer, random: Random): Buffer {
  let bytes = Buffer.from(valid);
  for (let count = random.int(1, 12); count > 0; count -= 1) {
    const at = random.int(0, bytes.length - 1);
    const roll = random.next();
    if (roll < 0.5) bytes[at] = random.int(0, 255);
    else if (roll < 0.65) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.int(1, 40))]);
    else if (roll < 0.8) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at - (at % 97))]);
    else if (roll < 0.95)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(random.int(1, 400), bytes[at]), bytes.subarray(at)]);
    else bytes = bytes.subarray(0, Math.max(1, at));
    if (bytes.length === 0) return Buffer.from([0]);
  }
  return bytes;
}
