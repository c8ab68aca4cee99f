import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type BlockKind,
  blockKinds,
  blocksOf,
  isHeading,
  structureOf,
  TextBuilder,
} from '../../../../src/areas/knowledge/extraction/blocks.ts';
import { splitDocument } from '../../../../src/areas/knowledge/extraction/chunks.ts';
import type { DocumentText } from '../../../../src/areas/knowledge/extraction/extraction.ts';
import { readMarkdown, readPlainText } from '../../../../src/areas/knowledge/extraction/formats/text.ts';
import { questionAndAnswer } from '../../../../src/areas/knowledge/extraction/question-answer.ts';
import { seed } from '../../../support/seed.ts';

const split = (document: DocumentText, chunkSize = 600, language = 'ja') =>
  splitDocument({ ...document, chunkSize, language });
const textsOf = (source: string, chunkSize = 600, language = 'ja') =>
  split(readMarkdown(source), chunkSize, language).map(({ text }) => text);

describe('chunks', () => {
  it('follow headings, and name the path to them', () => {
    const chunks = split(readMarkdown('intro\n\n# A\n\none\n\n## B ##\n\ntwo\n\n# C\n\nthree\n\n## D\n\n## E\n'));
    assert.deepEqual(
      chunks.map(({ headingPath, text }) => [...headingPath, text]),
      [['intro'], ['A', 'one'], ['A', 'B', 'two'], ['C', 'three'], ['C', 'D'], ['C', 'E']],
    );
  });

  it('join paragraphs up to the size, and divide only longer ones, at the ends of sentences', () => {
    const [short, long] = ['短い文です。', 'これは少し長い文になります。'.repeat(20)];
    const texts = textsOf(`${short}\n\n${short}\n\n${long}`, 200);
    assert.ok(texts.length > 1);
    assert.match(texts[0] ?? '', /^短い文です。\n\n短い文です。/);
    for (const text of texts) assert.match(text, /。$/);
  });

  it('are made for any language, also for one that is no language tag', () => {
    for (const language of ['ja', 'xx', 'ja_JP', '日本語', '']) {
      assert.deepEqual(textsOf('返品は30日以内です。', 600, language), ['返品は30日以内です。'], language);
    }
  });

  it('do not end after an abbreviation or at the end of a line', () => {
    const sentence = 'Ask Dr. Smith or\nMr. Jones for help e.g. with No. 5 of the list.';
    const texts = textsOf(Array.from({ length: 12 }, () => sentence).join(' '), 200, 'en');
    assert.ok(texts.length > 1);
    for (const text of texts) assert.match(text, /^Ask Dr\. [\s\S]* list\.$/);
  });

  it('divide a longer sentence after a clause, or else after a word, and never a character', () => {
    for (const part of ['とても長い文の一部であり、', 'another word ', '𠮷野家', 'か\u3099']) {
      const texts = textsOf(part.repeat(200), 200);
      assert.ok(texts.length > 1);
      for (const text of texts) assert.ok(text.length <= 200 && text.isWellFormed(), part);
      for (const text of texts) assert.doesNotMatch(text, /^\p{M}/u);
      if (part.endsWith('、')) for (const text of texts) assert.match(text, /、$/);
      if (part.endsWith(' ')) for (const text of texts) assert.match(text, /^(another|word)\b.*\b(another|word)$/);
    }
  });

  it('keep a question with its answer', () => {
    const pairs = [
      'Q: 返品できますか\nA: はい。',
      'Ｑ：送料は\n\nＡ：500円です。\n\n全国一律です。',
      '質問：営業時間は\n回答：10時からです。',
      'Q1. Do you ship?\nA1. Yes.',
      '**Q:** Where?\n**A:** Here.',
      '質問1: 支払いは\n\n詳しく教えて。\n\n回答1: カードです。',
    ];
    for (const pair of pairs) {
      assert.deepEqual(textsOf(`前の段落。\n\n${pair}\n\nQ: 次は\nA: これ。`), [
        '前の段落。',
        pair,
        'Q: 次は\nA: これ。',
      ]);
      assert.notEqual(questionAndAnswer(pair), null);
    }
    assert.deepEqual(questionAndAnswer(pairs[1] ?? ''), {
      question: '送料は',
      answer: '500円です。\n\n全国一律です。',
    });
    assert.deepEqual(questionAndAnswer(pairs[4] ?? ''), { question: 'Where?', answer: 'Here.' });
    assert.equal(questionAndAnswer('Q: 返品できますか'), null);
    assert.equal(questionAndAnswer('返品できます。'), null);
  });

  it('keep a pair whole that is longer than the size, up to 2,000 characters', () => {
    const pair = (length: number) => `Q: 返品できますか\nA: ${'はい。'.repeat(length / 3)}`;
    assert.deepEqual(textsOf(pair(900), 200), [pair(900)]);
    assert.ok(textsOf(pair(3000), 200).every(({ length }) => length <= 200));
  });

  it('keep a question that is a heading with its answer, and not as the heading of what follows', () => {
    const chunks = split(
      readMarkdown('# FAQ\n\n## Q: 返品\n\nA: 可能です。\n\n## Q: 送料\n\n送料の説明。\n\n# その他\n\n本文'),
    );
    assert.deepEqual(
      chunks.map(({ headingPath, text }) => [...headingPath, text]),
      [
        ['FAQ', 'Q: 返品\n\nA: 可能です。'],
        ['FAQ', 'Q: 送料', '送料の説明。'],
        ['その他', '本文'],
      ],
    );
  });

  it('never divide the row of a table', () => {
    const row = `| ${'値です。'.repeat(20)} | b |`;
    const texts = textsOf(['| 列 | b |', '|---|---|', row, row, row, row].join('\n'), 200);
    for (const text of texts) assert.match(text, /^\|(.|\n)*\|$/);
    assert.equal(texts.join('\n').match(/値/g)?.length, 80);
  });

  it('are those of the new size if the stored text is split again', () => {
    const document = readMarkdown(`# A\n\n${'文です。'.repeat(300)}`);
    const stored = JSON.parse(JSON.stringify(document));
    assert.deepEqual(split(stored, 300), split(document, 300));
    assert.notEqual(split(stored, 300).length, split(document, 600).length);
  });

  it('do not repeat a long heading', () => {
    const [chunk] = split(readMarkdown(`# ${'長い'.repeat(300)}\n\n本文`));
    assert.deepEqual(chunk?.headingPath, []);
  });

  it('of hard-wrapped text join its lines', () => {
    const text = 'This is a sentence\nthat goes on.\n- an item\n- another one';
    assert.equal(split(readPlainText(text), 600, 'en')[0]?.text, text);
  });
});

describe('for all documents', () => {
  const sentence = fc.oneof(
    fc
      .array(fc.constantFrom('返品', 'は', '三十日', '以内', 'ＶＩＰ', '会員', '、', '𠮷', 'です'), {
        minLength: 1,
        maxLength: 40,
      })
      .map((words) => `${words.join('')}。`),
    fc
      .array(fc.constantFrom('returns', 'within', '30', 'days', 'are', 'free,', 'for', 'members'), {
        minLength: 1,
        maxLength: 30,
      })
      .map((words) => `The ${words.join(' ')}.`),
  );
  const paragraph = fc.array(sentence, { minLength: 1, maxLength: 12 }).map((sentences) => sentences.join(' '));
  const pair = fc.tuple(sentence, sentence).map(([question, answer]) => `Q: ${question}\nA: ${answer}`);
  const kinds: readonly BlockKind[] = [
    blockKinds.paragraph,
    blockKinds.paragraph,
    1,
    2,
    3,
    blockKinds.row,
    blockKinds.record,
  ];
  const block = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom(...kinds),
        text: paragraph,
        startsPage: fc.constantFrom(false, false, true),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant(blockKinds.paragraph), text: pair, startsPage: fc.constant(false) }),
    },
  );
  const documents = fc.record({ blocks: fc.array(block, { minLength: 1, maxLength: 30 }), hasPages: fc.boolean() });
  const check = (
    property: (built: DocumentText, blocks: readonly { kind: BlockKind; text: string }[], size: number) => void,
  ) =>
    fc.assert(
      fc.property(documents, fc.integer({ min: 200, max: 2000 }), ({ blocks, hasPages }, size) => {
        const builder = new TextBuilder();
        if (hasPages) builder.startPage();
        for (const { kind, text, startsPage } of blocks) {
          if (hasPages && startsPage) builder.startPage();
          builder.add(kind, isHeading(kind) ? text.slice(0, 150) : text);
        }
        property(builder.build(), blocks, size);
      }),
      { seed, numRuns: 300 },
    );

  it('chunks are exactly the text between their offsets, in order, and leave out only headings and white space', () => {
    check((document, _, size) => {
      const chunks = split(document, size);
      let position = 0;
      const left: string[] = [];
      for (const [index, chunk] of chunks.entries()) {
        assert.equal(chunk.index, index);
        assert.equal(chunk.text, document.text.slice(chunk.start, chunk.end));
        assert.ok(chunk.start >= position && chunk.end > chunk.start);
        left.push(document.text.slice(position, chunk.start));
        position = chunk.end;
      }
      left.push(document.text.slice(position));
      const headings = blocksOf(document.structure).filter(({ kind }) => isHeading(kind));
      const known = headings.map(({ start, end }) => document.text.slice(start, end).trim());
      for (const part of left.flatMap((each) => each.split('\n')).filter((each) => each.trim() !== '')) {
        assert.ok(known.includes(part.trim()), part);
        assert.ok(
          chunks.some(({ headingPath }) => headingPath.includes(part.trim().replace(/\s+/g, ' '))),
          part,
        );
      }
    });
  });

  it('no chunk crosses a page, and each has the number of its own', () => {
    check((document, _, size) => {
      for (const { page, start, end } of split(document, size)) {
        if (document.pageOffsets === null) assert.equal(page, null);
        else {
          assert.ok(start >= (document.pageOffsets[(page ?? 0) - 1] ?? Number.POSITIVE_INFINITY));
          assert.ok(end <= (document.pageOffsets[page ?? 0] ?? document.text.length));
        }
      }
    });
  });

  it('no sentence, row or pair is divided that fits, and no chunk of text is longer than the size', () => {
    check((document, blocks, size) => {
      const chunks = split(document, size);
      const boundaries = new Set(chunks.flatMap(({ start, end }) => [start, end]));
      for (const { kind, start, end } of blocksOf(document.structure)) {
        if (isHeading(kind)) continue;
        const content = document.text.slice(start, end);
        const inside = [...boundaries].filter((boundary) => boundary > start && boundary < end);
        if (kind === blockKinds.row || kind === blockKinds.record || content.startsWith('Q: ')) {
          if (content.length <= 2000) assert.deepEqual(inside, [], content);
        } else if (content.length <= size) assert.deepEqual(inside, [], content);
        else
          for (const boundary of inside) {
            const around = document.text.slice(boundary - 1, boundary + 1);
            assert.match(around, /^[。.](\s|$)|^\s/, `${around} at ${boundary - start} of ${content}`);
          }
      }
      const longest = blocks.some(({ kind, text }) => kind >= blockKinds.row || text.startsWith('Q: ')) ? 2000 : size;
      for (const { text } of chunks) assert.ok(text.length <= Math.max(size, longest));
    });
  });

  it('the stored structure has the same blocks', () => {
    check((document) => assert.deepEqual(structureOf(blocksOf(document.structure)), document.structure));
  });
});
