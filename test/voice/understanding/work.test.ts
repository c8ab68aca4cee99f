import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { understand } from '../../../src/voice/understanding/answer.ts';
import { compilePhrases } from '../../../src/voice/understanding/phrases.ts';
import { maxSteps, Work } from '../../../src/voice/understanding/work.ts';
import { PhoneCall } from '../engines/flow/phone-call.ts';

const context = { language: 'ja', now: Date.UTC(2026, 10, 15), timeZone: 'Asia/Tokyo' };

/** What a match takes of the work of a reply, as a share of all of it. */
function shareOf(phrases: readonly string[], words: string, language = 'ja') {
  let taken = 0;
  class Counting extends Work {
    override take(steps: number): boolean {
      taken += steps;
      return super.take(steps);
    }
  }
  const work = new Counting();
  const route = compilePhrases([phrases], language).match(words, work);
  return { route, share: taken / maxSteps, isExceeded: work.isExceeded };
}

describe('understanding a reply', () => {
  it('ends when a pattern reads the text too often, and the words are not understood', () => {
    for (const [pattern, piece] of [
      ['/a(.*a.*a.*x)?/', 'a'],
      ['/\\pL(\\pL*\\d)?/', 'か'],
      ['/a(((((((((.*)*)*)*)*)*)*)*)*x)?/', 'a'],
      ['/a(.{1,1000}x)?/', 'a'],
    ] as const) {
      const { route, share, isExceeded } = shareOf([pattern], piece.repeat(10_000));
      assert.deepEqual([route, isExceeded], [undefined, true], pattern);
      assert.ok(share < 1.01, `${pattern}: ${share}`);
    }
  });

  it('takes a small share for what callers say, with hundreds of patterns and thousands of phrases', () => {
    const patterns = Array.from({ length: 300 }, (_, index) => `/(予約|変更)${index}.*(したい|お願い)|[a-z]+${index}/`);
    const plain = Array.from({ length: 5000 }, (_, index) => `予約その${index}番`);
    const words = 'すみません、来週の火曜日に予約その4999番を取りたいのですが空いていますか';
    const { route, share } = shareOf([...patterns, ...plain], words);
    assert.equal(route, 0);
    assert.ok(share < 0.5, `${share}`);
  });

  it('sees the first and the last 500 characters, and nothing across what is between', () => {
    const middle = 'い'.repeat(5000);
    const phrases = compilePhrases([['予約'], ['/変更.*したい/']], 'ja');
    assert.equal(phrases.match(`予約${middle}`), 0);
    assert.equal(phrases.match(`${middle}予約です`), 0);
    assert.equal(phrases.match(`${middle}予約です${middle}`), undefined);
    assert.equal(phrases.match(`${'い'.repeat(498)}予約${middle}`), 0);
    assert.equal(phrases.match(`${'い'.repeat(499)}予約${middle}`), undefined);
    assert.equal(phrases.match(`変更${middle}したい`), undefined);
    assert.equal(compilePhrases([['/^変更/'], ['/したい$/']], 'ja').match(`変更${middle}`), 0);
    assert.equal(compilePhrases([['/い$/']], 'ja').match(`${'い'.repeat(500)}${'う'.repeat(5000)}`), undefined);
  });

  it('sees as little of a text that folding makes longer', () => {
    const { route, isExceeded } = shareOf(['予約'], `${'ﷺ'.repeat(500)}予約${'ﷺ'.repeat(5000)}`);
    assert.deepEqual([route, isExceeded], [undefined, false]);
    assert.equal(understand('number', `${'ﷺ'.repeat(400)}3`, context), undefined);
  });

  it('keeps all of a long answer in free text, without the fillers at its ends', () => {
    const words = `えっと、${'とても長い話です。'.repeat(1000)}、えっと`;
    assert.equal(understand('text', words, context), 'とても長い話です。'.repeat(1000));
  });

  it('that takes too much asks again, with a warning, and the conversation goes on', () => {
    const skills = [
      {
        id: 'choose',
        type: 'choose',
        text: 'What is it?',
        routes: [{ when: ['/a(.*a.*a.*x)?/'], next: 'bye' }],
        otherwise: 'bye',
      },
      { id: 'bye', type: 'end', text: 'Bye.' },
    ];
    const call = new PhoneCall({ skills }, { language: 'en' });
    call.open();
    assert.equal(call.say('a'.repeat(10_000)), 'Sorry, I didn’t catch that. What is it?');
    assert.deepEqual(call.warnings, [
      'understanding_limit: the words were not understood: comparing them with the phrases of the flow takes too long',
    ]);
    assert.equal(call.say('a'), 'Bye.');
    assert.equal(call.warnings.length, 1);
  });
});
