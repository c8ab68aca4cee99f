/**
 * A book that Debian has as PDF, HTML and text: how much of the text is found in what is extracted, beside pdftotext and
 * pandoc. Needs the packages debian-reference-ja, poppler-utils and pandoc.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { useExtraction } from './documents.ts';

const folder = '/usr/share/debian-reference';
const pdf = join(folder, 'debian-reference.ja.pdf');
const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;
const skip =
  existsSync(pdf) && isInstalled('pdftotext') && isInstalled('pandoc')
    ? false
    : 'debian-reference-ja, poppler-utils or pandoc is not installed';

const asian = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]/u;

/** As search has them: two adjacent characters of Japanese, whole words of everything else. */
function termsOf(text: string): ReadonlySet<string> {
  const terms = new Set<string>();
  const runs = text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+|[\p{L}\p{N}]+/gu);
  for (const [run] of runs) {
    if (!asian.test(run)) terms.add(run);
    else for (let at = 0; at + 1 < run.length; at += 1) terms.add(run.slice(at, at + 2));
  }
  return terms;
}

/** The share of the expected terms that are found, in percent. */
function shareOf(expected: ReadonlySet<string>, text: string): number {
  const found = termsOf(text);
  return (100 * [...expected].filter((term) => found.has(term)).length) / expected.size;
}

function outputOf(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 100 * 1024 * 1024 });
}

describe('a Japanese book', { skip }, () => {
  const { read } = useExtraction();
  const expected = () => termsOf(gunzipSync(readFileSync(join(folder, 'debian-reference.ja.txt.gz'))).toString());

  it('has at least the terms in its PDF that pdftotext finds', async (context) => {
    const { chunks, pageCount } = await read(readFileSync(pdf), 'book.pdf');
    const ours = shareOf(expected(), chunks.map(({ text }) => text).join('\n'));
    const theirs = shareOf(expected(), outputOf('pdftotext', [pdf, '-']));
    context.diagnostic(`PDF, ${pageCount} pages: ${ours.toFixed(2)} % of the terms, pdftotext ${theirs.toFixed(2)} %`);
    assert.ok(ours >= theirs);
  });

  it('has at least the terms in its HTML that pandoc finds', async (context) => {
    const pages = readdirSync(folder).filter((name) => name.endsWith('.ja.html'));
    const [ours, theirs]: [string[], string[]] = [[], []];
    for (const page of pages) {
      const { chunks } = await read(readFileSync(join(folder, page)), page);
      ours.push(...chunks.flatMap(({ headingPath, text }) => [...headingPath, text]));
      theirs.push(outputOf('pandoc', ['-f', 'html', '-t', 'plain', '--wrap=none', join(folder, page)]));
    }
    const [found, foundByPandoc] = [ours, theirs].map((texts) => shareOf(expected(), texts.join('\n')));
    context.diagnostic(
      `HTML, ${pages.length} pages: ${found?.toFixed(2)} % of the terms, pandoc ${foundByPandoc?.toFixed(2)} %`,
    );
    assert.ok((found ?? 0) >= (foundByPandoc ?? 100));
  });
});
