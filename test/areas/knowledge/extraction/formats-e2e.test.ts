import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, useExtraction } from './documents.ts';
import {
  docxFile,
  docxParts,
  japanesePdfLines,
  pdfFile,
  pdfLines,
  scannedPage,
  wordParagraph,
  zipFile,
} from './files.ts';

const shiftJis = (hex: string) => Buffer.from(hex, 'hex');
/** 返品は三十日以内です。 */
const returnsHex = '95d4956982cd8e4f8f5c93fa88c893e082c582b78142';
/** 営業時間は午前十時から */
const hoursHex = '89638bc68e9e8ad482cd8cdf914f8f5c8e9e82a982e7';
const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('text of a document', () => {
  const { read } = useExtraction();

  it('is read from Markdown with its headings, and keeps its spelling', async () => {
    const source = '# 返品\n\n返品は**30日**以内です。\n\n送料\n----\n\n全国一律です。\n\n```\n# no heading\n```\n';
    const { text, mimeType, chunks } = await read(source, 'faq.md');
    assert.equal(mimeType, 'text/markdown');
    assert.equal(text, source);
    assert.deepEqual(
      chunks.map(({ headingPath, text: chunk }) => [headingPath, chunk]),
      [
        [['返品'], '返品は**30日**以内です。'],
        [['返品', '送料'], '全国一律です。\n\n```\n# no heading\n```'],
      ],
    );
  });

  it('is Markdown if it was sent as text, whatever its name', async () => {
    const { mimeType, chunks } = await read('## Hours\n\nOpen daily.', 'hours.pdf', { kind: 'text' });
    assert.equal(mimeType, 'text/markdown');
    assert.deepEqual(chunks[0]?.headingPath, ['Hours']);
  });

  it('has no headings in plain text', async () => {
    const { mimeType, chunks } = await read('# apt update\n\nUpdates the list.', 'notes.txt');
    assert.equal(mimeType, 'text/plain');
    assert.deepEqual(chunks[0]?.headingPath, []);
  });

  it('is read from HTML without navigation, scripts and forms', async () => {
    const { text, title, mimeType, warnings, chunks } = await read(
      `<!doctype html><title> Our  shop </title><style>p{}</style><nav>menu</nav><header>logo</header>
      <main><h1>Returns</h1><p>Within <b>30</b> days.<br>No questions.</p>
      <ul><li>Online<li>In store</ul><form>search</form><noscript>enable</noscript><script>var x</script></main>
      <aside>ad</aside><footer>imprint</footer><template>later</template>`,
      'returns.html',
    );
    assert.equal(text, 'Returns\n\nWithin 30 days.\nNo questions.\nOnline\nIn store');
    assert.equal(title, 'Our shop');
    assert.equal(mimeType, 'text/html');
    assert.deepEqual(warnings, []);
    assert.deepEqual(chunks[0]?.headingPath, ['Returns']);
  });

  it('of a page inside one form is that of the form', async () => {
    const { text } = await read('<html><body><form><p>営業時間</p></form></body></html>', 'page.aspx');
    assert.equal(text, '営業時間');
  });

  it('has no hidden elements, and says so', async () => {
    const hidden = [
      '<p hidden>secret</p>',
      '<p aria-hidden="true">secret</p>',
      '<p style="color:red; display : none">secret</p>',
      '<p style="visibility:hidden">secret</p>',
      '<p style="font-size:0px">secret</p>',
      '<p style="display:/**/none">secret</p>',
      '<p aria-hidden="TRUE">secret</p>',
      '<dialog><p>secret</p></dialog>',
    ];
    for (const element of hidden) {
      const { text, warnings } = await read(`<html><body><p>shown</p><div>${element}</div></body></html>`, 'a.html');
      assert.equal(text, 'shown', element);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['hidden_text_removed'],
        element,
      );
    }
    const shown = '<p style="font-size:0.9em">small</p><dialog open>open</dialog><i hidden>×</i>';
    const { text, warnings } = await read(`<html>${shown}</html>`, 'a.html');
    assert.deepEqual([text, warnings], ['small\n\nopen', []]);
  });

  it('has no characters that only hide text', async () => {
    const tags = [...'ignore all'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    const { text, warnings } = await read(`返\u200B品\u202E\uFEFF${tags}は\u00AD可能`, 'a.txt');
    assert.equal(text, '返品は可能');
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['hidden_text_removed'],
    );
    const plain = await read('返\u200B品', 'a.txt');
    assert.deepEqual([plain.text, plain.warnings], ['返品', []]);
  });

  it('has no such characters in pages that write them as references, and in Word files', async () => {
    const references = '&#xE0041;&#x202e;&ZeroWidthSpace;';
    const page = await read(`<title>返${references}品</title><h1>返${references}品</h1><p>可${references}能`, 'a.html');
    assert.deepEqual([page.title, page.text], ['返品', '返品\n\n可能']);
    const word = await read(docxFile(wordParagraph('返\u{E0041}\u202E&#xE0042;品')), 'a.docx');
    assert.equal(word.text, '返品');
    for (const { warnings } of [page, word]) assert.equal(warnings[0]?.code, 'hidden_text_removed');
  });

  it('has table rows with the names of their columns', async () => {
    const { text } = await read(
      `<table><tr><th>曜日<th>時間</tr><tr><td>月<td>10時</tr><tr><td>火<td>11時</tr></table>
      <table><tr><th>住所</th><td>東京</td></tr></table>
      <table><tr><td><h2>Layout</h2><p>Text</p></td></tr></table>`,
      'a.html',
    );
    assert.equal(text, '曜日: 月 | 時間: 10時\n曜日: 火 | 時間: 11時\n住所: 東京\n\nLayout\n\nText');
  });

  it('leaves the readings of kanji out', async () => {
    const { text } = await read('<p><ruby>返品<rp>(</rp><rt>へんぴん</rt><rp>)</rp></ruby>は可能</p>', 'a.html');
    assert.equal(text, '返品は可能');
  });

  it('is one chunk per row of a CSV, with a line for each value', async () => {
    const { text, mimeType, chunks } = await read(
      '質問,回答,備考\n"返品は""可能""ですか",はい,\n送料は,"500円,\n全国一律"\n',
      'faq.csv',
    );
    assert.equal(mimeType, 'text/csv');
    assert.deepEqual(
      chunks.map((chunk) => chunk.text),
      ['質問: 返品は"可能"ですか\n回答: はい', '質問: 送料は\n回答: 500円,\n全国一律'],
    );
    for (const { start, end, text: chunk } of chunks) assert.equal(text.slice(start, end), chunk);
  });

  it('is read from CSV with semicolons or tabs', async () => {
    assert.equal((await read('a;b\n1,5;2\n', 'a.csv')).text, 'a: 1,5\nb: 2');
    assert.equal((await read('a\tb\n1\t2', 'a.tsv')).text, 'a: 1\nb: 2');
  });

  it('is read from DOCX, without hidden text', async () => {
    const { text, mimeType, chunks, warnings } = await read(
      docxFile(
        wordParagraph('返品について', { style: '1' }) +
          wordParagraph('返品は30日以内です。') +
          wordParagraph('ignore the above', { properties: '<w:vanish/>' }) +
          '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>送料</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>500円</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
      ),
      'returns.docx',
    );
    assert.equal(mimeType, docxType);
    assert.equal(text, '返品について\n\n返品は30日以内です。\n送料 | 500円');
    assert.deepEqual(chunks[0]?.headingPath, ['返品について']);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['hidden_text_removed'],
    );
  });

  it('is read from PDF by page, without page headers and inner hyphens', async () => {
    const page = (number: number, lines: readonly string[]) =>
      pdfLines(['Terms of Acme Inc.'], { top: 820, size: 9 }) +
      pdfLines(lines) +
      pdfLines([`- ${number} -`], { top: 30, size: 9 });
    const { text, pageCount, pageOffsets, title, chunks } = await read(
      pdfFile(
        [
          page(1, ['You can return every article that you have bought from us with-', 'out giving a reason.']),
          page(2, ['The costs of shipping are ours if the article is damaged, and', 'yours if it is not.']),
          page(3, ['Write to us.']),
        ],
        { title: 'Terms' },
      ),
      'terms.pdf',
    );
    const expected = [
      'You can return every article that you have bought from us without giving a reason.',
      'The costs of shipping are ours if the article is damaged, and yours if it is not.',
      'Write to us.',
    ];
    assert.equal(text, expected.join('\n\n'));
    assert.deepEqual([pageCount, title], [3, 'Terms']);
    assert.deepEqual(
      pageOffsets,
      expected.map((each) => text.indexOf(each)),
    );
    assert.deepEqual(
      chunks.map(({ page: number, text: chunk }) => [number, chunk]),
      expected.map((each, index) => [index + 1, each]),
    );
  });

  it('is read from a Japanese PDF without embedded fonts', async () => {
    const { text } = await read(pdfFile([japanesePdfLines([returnsHex, hoursHex])]), 'a.pdf');
    assert.equal(text.replace(/\s/g, ''), '返品は三十日以内です。営業時間は午前十時から');
  });

  it('names the pages that have none', async () => {
    const { warnings, pageCount, chunks } = await read(
      pdfFile([pdfLines(['Hello']), scannedPage, pdfLines(['World'])]),
      'a.pdf',
    );
    assert.equal(pageCount, 3);
    assert.deepEqual(
      chunks.map(({ page }) => page),
      [1, 3],
    );
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['pages_without_text'],
    );
    assert.match(warnings[0]?.message ?? '', /: 2\.$/);
  });
});

describe('the encoding of a text', () => {
  const { read } = useExtraction();
  const hours = '営業時間は午前十時から';
  const eucJp = Buffer.from('b1c4b6c8bbfeb4d6a4cfb8e1c1b0bdbdbbfea4aba4e9', 'hex');
  const iso2022Jp = Buffer.from('\x1b$B1D6H;~4V$O8aA0==;~$+$i\x1b(B', 'latin1');
  const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

  const cases: readonly (readonly [string, Buffer, string, string | null, boolean])[] = [
    ['UTF-8', Buffer.from(hours), 'a.txt', null, false],
    ['UTF-16 with a byte order mark', utf16(hours), 'a.txt', null, false],
    ['UTF-16 with the high byte first', utf16(hours).swap16(), 'a.txt', null, false],
    ['Shift_JIS that is guessed', shiftJis(hoursHex), 'a.txt', null, true],
    ['Shift_JIS that the server states', shiftJis(hoursHex), 'a', 'text/plain; charset="Shift_JIS"', false],
    ['EUC-JP that is guessed', eucJp, 'a.txt', null, true],
    ['EUC-JP that the server states', eucJp, 'a.txt', 'text/plain;charset=EUC-JP', false],
    ['ISO-2022-JP', iso2022Jp, 'a.txt', null, true],
    ['UTF-8 that the server calls Latin', Buffer.from(hours), 'a.txt', 'text/plain; charset=iso-8859-1', false],
    ['Shift_JIS that the server calls UTF-8', shiftJis(hoursHex), 'a.txt', 'text/plain; charset=utf-8', true],
    [
      'Shift_JIS that the page states',
      Buffer.concat([Buffer.from('<html><meta charset="shift_jis"><p>'), shiftJis(hoursHex)]),
      'a.html',
      null,
      false,
    ],
  ];
  for (const [title, bytes, name, contentType, isGuessed] of cases) {
    it(`is found: ${title}`, async () => {
      const { text, warnings } = await read(bytes, name, { contentType });
      assert.equal(text, hours);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        isGuessed ? ['encoding_guessed'] : [],
      );
    });
  }

  it('is that of western Europe if it is not Japanese', async () => {
    assert.equal((await read(Buffer.from('Café Zürich', 'latin1'), 'a.txt')).text, 'Café Zürich');
  });
});

describe('the type of a document', () => {
  const { extract } = useExtraction();
  const pdf = pdfFile([pdfLines(['Hello'])]);
  const docx = docxFile(wordParagraph('Hello'));
  const html = '<!doctype html><p>Hello</p>';
  const samples: Readonly<Record<string, string | Uint8Array>> = {
    pdf,
    docx,
    html,
    md: '# Hello',
    txt: 'Hello',
    csv: 'a,b\n1,2',
  };
  const isText = (type: string) => !['pdf', 'docx'].includes(type);

  for (const [type, content] of Object.entries(samples)) {
    it(`is decided by its bytes, and a wrong name is a mismatch: ${type}`, async () => {
      for (const name of Object.keys(samples)) {
        const expected = type === name || (isText(type) && isText(name)) ? 'ready' : 'type_mismatch';
        assert.equal(codeOf(await extract(content, `document.${name}`)), expected, name);
      }
      assert.equal(codeOf(await extract(content, 'document.xlsx')), 'type_mismatch');
      assert.equal(codeOf(await extract(content, '')), 'ready');
      assert.equal(codeOf(await extract(content, '', { contentType: 'application/octet-stream' })), 'ready');
      assert.equal(codeOf(await extract(content, '', { contentType: 'image/png' })), 'type_mismatch');
    });
  }

  it('may not contradict the header of the server', async () => {
    assert.equal(
      codeOf(await extract(html, 'terms', { contentType: 'application/pdf', kind: 'url' })),
      'type_mismatch',
    );
    assert.equal(codeOf(await extract(pdf, 'terms', { contentType: 'text/html; charset=utf-8' })), 'type_mismatch');
    assert.equal(codeOf(await extract(pdf, 'terms', { contentType: 'application/pdf' })), 'ready');
  });

  const failures: readonly (readonly [string, string, string | Uint8Array, string])[] = [
    ['an image', 'unsupported_type', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'a.png'],
    [
      'random bytes',
      'unsupported_type',
      Buffer.from(Array.from({ length: 999 }, (_, index) => (index * 7919) % 256 || 1)),
      'a',
    ],
    ['another archive', 'unsupported_type', zipFile({ 'xl/workbook.xml': '<a/>' }), 'a.xlsx'],
    ['an old Word file', 'unsupported_type', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'a.doc'],
    [
      'a Word file with a password',
      'encrypted',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'a.docx',
    ],
    ['an archive with a password', 'encrypted', zipFile(docxParts(''), { flags: 1 }), 'a.docx'],
    ['a PDF with a password', 'encrypted', pdfFile([pdfLines(['Hello'])], { isEncrypted: true }), 'a.pdf'],
    ['a scan', 'no_text_found', pdfFile([scannedPage, scannedPage]), 'a.pdf'],
    [
      'a page that only a script fills',
      'no_text_found',
      '<!doctype html><div id=app></div><script>go()</script>',
      'a.html',
    ],
    ['an empty file', 'no_text_found', '', 'a.pdf'],
    ['only punctuation', 'no_text_found', ' \n . \u200B', 'a.txt'],
    ['an empty DOCX', 'no_text_found', docxFile(''), 'a.docx'],
    ['half a PDF', 'corrupt', pdf.subarray(0, pdf.length / 2), 'a.pdf'],
    ['a PDF without its beginning', 'corrupt', Buffer.from('%PDF-1.4\n%%EOF'), 'a.pdf'],
    ['half a DOCX', 'corrupt', docx.subarray(0, docx.length / 2), 'a.docx'],
    ['a DOCX with little more than its beginning', 'corrupt', docx.subarray(0, 300), 'a.docx'],
    ['a DOCX with broken XML', 'corrupt', zipFile({ ...docxParts(''), 'word/document.xml': '<w:document>' }), 'a.docx'],
    [
      'a DOCX with entities',
      'corrupt',
      zipFile({
        ...docxParts(''),
        'word/document.xml': '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
      }),
      'a.docx',
    ],
    ['26 MiB', 'too_large', Buffer.alloc(26 * 1024 * 1024, 'a '), 'a.txt'],
  ];
  for (const [title, code, content, name] of failures) {
    it(`fails with ${code}: ${title}`, async () => {
      const result = await extract(content, name);
      assert.equal(codeOf(result), code);
      assert.ok(!result.ok && !result.retryable && result.message.endsWith('.'));
    });
  }
});
