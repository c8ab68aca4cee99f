import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { englishStem } from '../../../../src/areas/knowledge/search/english-stem.ts';

suite('the stem of an English word', () => {
  // Forms of the same word, and the words that must not be joined with them.
  for (const [forms, others] of [
    ['cancel cancels cancelled canceled cancelling canceling', 'candle'],
    ['refund refunds refunded refunding', 'fund'],
    ['policy policies', 'police'],
    ['box boxes boxed', 'bow'],
    ['address addresses addressed', 'dress'],
    ['change changes changed changing', 'chance'],
    ['hop hops hopped hopping', 'hope'],
    ['hope hopes hoped hoping', 'hop'],
    ['ship ships shipped shipping', 'shipment'],
    ['pay pays paid paying', 'payment'],
    ['buy buys bought buying', 'bus'],
    ['try tries tried trying', 'trial'],
    ['die dies died', 'dial'],
    ['child children', 'chill'],
    ['agree agrees agreed', 'agreement'],
    ['bring brings bringing brought', 'brought-up'],
    ['fill fills filled filling', 'file'],
    ['file files filed filing', 'fill'],
    ['go goes went gone going', 'gown'],
    ['break breaks broke broken breaking', 'brake'],
    ['class classes', 'clad'],
    ['use uses used using', 'us'],
    ['add adds added adding', 'ad'],
    ['age ages aged aging', 'agent'],
    ['owe owes owed owing', 'own'],
  ] as const) {
    test(forms, () => {
      const stems = new Set(forms.split(' ').map(englishStem));
      assert.equal(stems.size, 1, [...stems].join(' '));
      assert.ok(!stems.has(englishStem(others)));
    });
  }

  test('leaves short words, numbers and other scripts as they are', () => {
    for (const word of ['us', 'tv', '24', 'a4s', 'größen', '12s']) assert.equal(englishStem(word), word);
  });
});
