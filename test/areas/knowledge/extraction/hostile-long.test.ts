import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { codeOf, readable, useExtraction } from './documents.ts';
import { docxFile, docxParts, pdfFile, wordParagraph, zipFile } from './files.ts';

const megabyte = 1024 * 1024;

/** Each of these took minutes, all memory or the process with a simple parser. */
const hostile: readonly (readonly [string, string, string, () => string | Uint8Array])[] = [
  ['tables in tables', 'a.html', 'corrupt', () => '<table><tr><td>'.repeat(100_000)],
  ['deeply nested elements', 'a.html', 'corrupt', () => '<div>'.repeat(megabyte)],
  ['formatting that is opened again in every paragraph', 'a.html', 'corrupt', () => formattedParagraphs()],
  ['millions of elements', 'a.html', 'too_large', () => `<html>${'<b></b>'.repeat(2 * megabyte)}`],
  ['a paragraph per character', 'a.html', 'too_large', () => `<html>${'<p>a'.repeat(300_000)}`],
  ['a million paragraphs', 'a.txt', 'too_large', () => 'a\n\n'.repeat(900_000)],
  ['a heading per line', 'a.md', 'too_large', () => '# a\n'.repeat(100_000)],
  ['too much text in one line', 'a.txt', 'too_large', () => 'あ'.repeat(3_000_001)],
  ['a row for each line', 'a.csv', 'too_large', () => 'a,b\n'.repeat(100_000)],
  ['a list of brackets', 'a.md', 'ready', () => `${'> '.repeat(400_000)}a`],
  ['a heading of spaces', 'a.md', 'ready', () => `# ${' '.repeat(megabyte)}a`],
  [
    'a zip bomb',
    'a.docx',
    'too_large',
    () => zipFile({ ...docxParts(''), 'word/document.xml': Buffer.alloc(30 * megabyte) }),
  ],
  [
    'a zip bomb that lies about its size',
    'a.docx',
    'too_large',
    () => zipFile({ ...docxParts(''), 'word/document.xml': Buffer.alloc(30 * megabyte) }, { unpackedBytes: 1000 }),
  ],
  [
    'images of 250 MB',
    'a.docx',
    'too_large',
    () => zipFile({ ...docxParts(''), 'word/image.png': Buffer.alloc(1000) }, { unpackedBytes: 250 * megabyte }),
  ],
  ['deeply nested XML', 'a.docx', 'corrupt', () => docxFile('<w:tbl><w:tr><w:tc>'.repeat(20_000))],
  ['3,001 pages', 'a.pdf', 'too_large', () => pdfFile(Array.from({ length: 3001 }, () => ''))],
  ['too much text on a page', 'a.pdf', 'too_large', () => pdfFile([crowdedPage()])],
  ['fonts that do not exist', 'a.pdf', 'ready', () => pdfFile(['BT /F9 12 Tf 72 700 Td (Hello) Tj ET'])],
  ['operators without end', 'a.pdf', 'no_text_found', () => pdfFile(['q '.repeat(1000)])],
];

function crowdedPage(): string {
  const line = 'a'.repeat(80);
  const lines = Array.from({ length: 39_000 }, (_, index) => `1 0 0 1 20 ${20 + (index % 800)} Tm (${line}) Tj`);
  return `BT /F1 9 Tf ${lines.join('\n')} ET`;
}

function formattedParagraphs(): string {
  const tags = Array.from({ length: 600 }, (_, index) => `<b id=${index}>`).join('');
  return `<html><p>${tags}</p>${'<p>a</p>'.repeat(10_000)}`;
}

describe('a hostile document', () => {
  const { extract } = useExtraction();

  for (const [title, name, code, content] of hostile) {
    it(`ends with ${code}: ${title}`, { timeout: 60_000 }, async () => {
      assert.equal(codeOf(await extract(content(), name)), code);
    });
  }

  it('with 10,000 columns has the first 200', async () => {
    const row = (prefix: string) => Array.from({ length: 10_000 }, (_, column) => `${prefix}${column}`);
    const csv = readable(await extract([row('c').join(','), row('v').join(',')].join('\n'), 'a.csv'));
    const html = readable(await extract(`<table><tr><td>${row('v').join('<td>')}</table>`, 'a.html'));
    for (const { text, warnings } of [csv, html]) {
      assert.match(text, /v199$/);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['truncated_table'],
      );
    }
  });

  it('of one long line has chunks of the right size', async () => {
    const { chunks } = readable(await extract('あいうえお'.repeat(500_000), 'a.txt'));
    assert.ok(chunks.every(({ text }) => text.length <= 600));
    assert.equal(chunks.length, Math.ceil(2_500_000 / 600));
  });

  it('cannot make the parser open a connection', async (context) => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    context.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sources = [
      [
        `<html><base href="${url}"><link rel=stylesheet href="${url}"><p>a<img src="${url}"><iframe src="${url}">`,
        'a.html',
      ],
      [docxFile(`${wordParagraph('a')}<w:p><w:hyperlink r:id="${url}"/></w:p>`), 'a.docx'],
      [`![a](${url})`, 'a.md'],
      [pdfFile([`BT /F1 9 Tf (a) Tj ET /${encodeURIComponent(url)} Do`]), 'a.pdf'],
    ] as const;
    for (const [content, name] of sources) await extract(content, name);
    assert.equal(requests, 0);
  });
});

describe('the process that reads documents', () => {
  const slow = () => `<html>${'<p>a</p>'.repeat(150_000)}`;

  it('may end, which fails the document and not the service', async () => {
    const { extract } = useExtraction();
    // A small stream that unpacks to more than the process may have.
    const bomb = pdfFile([Buffer.alloc(600 * megabyte, 'q ')]);
    const result = await extract(bomb, 'a.pdf');
    assert.deepEqual(result.ok ? 'ready' : [result.code, result.retryable], ['internal', true]);
    assert.equal(codeOf(await extract('text', 'a.txt')), 'ready');
  });

  it('has a limit on time', async () => {
    const { extract } = useExtraction({ maxMs: 1 });
    const result = await extract(slow(), 'a.html');
    assert.deepEqual(result.ok ? 'ready' : [result.code, result.retryable], ['timeout', true]);
  });

  it('is ended when its job is not wanted any more, and the next document gets another one', async () => {
    const { extraction, input, extract } = useExtraction({ runners: 1 });
    await extract('text', 'a.txt');
    const stop = new AbortController();
    const running = extraction.extract('workspace', input(slow(), 'a.html'), stop.signal);
    const waiting = extraction.extract('workspace', input('text', 'a.txt'), stop.signal);
    stop.abort(new Error('deleted'));
    await assert.rejects(running, /deleted/);
    await assert.rejects(waiting, /deleted/);
    assert.equal(codeOf(await extract('text', 'a.txt')), 'ready');
  });

  it('reports a missing file as its own failure, and not as that of the document', async () => {
    const { extraction, input } = useExtraction();
    const { signal } = new AbortController();
    const result = await extraction.extract('workspace', { ...input('text', 'a.txt'), file: '/nowhere/a.txt' }, signal);
    assert.deepEqual(result.ok ? 'ready' : [result.code, result.retryable], ['internal', true]);
  });

  it('splits a stored text again, as extraction does', async () => {
    const { extraction, read } = useExtraction();
    const { signal } = new AbortController();
    const { chunks, ...document } = await read(`# 返品\n\n${'三十日以内です。'.repeat(200)}`, 'a.md');
    const split = async (chunkSize: number) => {
      const result = await extraction.split('workspace', { ...document, language: 'ja', chunkSize }, signal);
      return result.ok ? result.chunks : assert.fail(result.message);
    };
    assert.deepEqual(await split(600), chunks);
    assert.ok((await split(200)).length > chunks.length);
  });

  it('that is closed rejects, so that the document is read again later', async () => {
    const { extraction, input } = useExtraction();
    await extraction.close();
    const { signal } = new AbortController();
    await assert.rejects(extraction.extract('workspace', input('text', 'a.txt'), signal), {
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});
