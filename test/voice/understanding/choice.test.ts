import { describe, it } from 'node:test';
import { check, english, japanese } from './tables.ts';

const rooms = [
  { value: 'single', say: ['シングル', '一人部屋', 'single'] },
  { value: 'twin', say: ['ツイン', 'twin'] },
  { value: 'suite', say: ['スイート', 'スイートルーム', '/s(ui|we)te?.*room/'] },
];
const people = [
  { value: 'adults', say: ['大人'] },
  { value: 'two_adults', say: ['大人二人'] },
  { value: 'yes', say: ['はい', 'yes'] },
];

describe('a choice', () => {
  it('is the option that was named', () => {
    check('choice', { ...japanese, options: rooms }, [
      ['シングル', 'single'],
      ['しんぐる', 'single'],
      ['ｼﾝｸﾞﾙでお願いします', 'single'],
      ['一人部屋がいいです', 'single'],
      ['えっと、ツインで', 'twin'],
      ['はい、ツインです', 'twin'],
      ['スイートルーム', 'suite'],
      ['スイート', 'suite'],
      ['TWIN', 'twin'],
      ['ＴＷＩＮ', 'twin'],
      ['SUITE with a nice ROOM', 'suite'],
    ]);
    check('choice', { ...english, options: rooms }, [
      ['a single room, please', 'single'],
      ['Twin.', 'twin'],
      ['the suite room', 'suite'],
    ]);
  });

  it('is the longest phrase if one contains the other', () => {
    check('choice', { ...japanese, options: people }, [
      ['大人二人', 'two_adults'],
      ['大人です', 'adults'],
      ['はい', 'yes'],
    ]);
  });

  it('is not understood if none or two are named', () => {
    check('choice', { ...japanese, options: rooms }, [
      ['シングルかツイン', undefined],
      ['シングルじゃなくてツイン', undefined],
      ['ダブル', undefined],
      ['はい', undefined],
      ['えっと', undefined],
      ['', undefined],
    ]);
    check('choice', { ...english, options: rooms }, [
      ['singles', undefined],
      ['between', undefined],
      ['twins', undefined],
      ['single or twin', undefined],
    ]);
    check('choice', japanese, [['シングル', undefined]]);
  });
});
