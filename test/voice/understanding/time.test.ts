import { describe, it } from 'node:test';
import { check, english, japanese } from './tables.ts';

const open = { ...japanese, within: ['09:00', '20:00'] as const };

describe('a time in Japanese', () => {
  it('is understood with a part of the day or with 24 hours', () => {
    check('time', japanese, [
      ['午後三時半', '15:30'],
      ['午後3時30分', '15:30'],
      ['午前九時', '09:00'],
      ['15時', '15:00'],
      ['十五時', '15:00'],
      ['15時半', '15:30'],
      ['十五時四十五分です', '15:45'],
      ['１５：３０', '15:30'],
      ['15:30でお願いします', '15:30'],
      ['ごごさんじはん', '15:30'],
      ['ゴゴヨジ', '16:00'],
      ['朝の七時', '07:00'],
      ['朝9時', '09:00'],
      ['夜8時', '20:00'],
      ['夜の十一時', '23:00'],
      ['夕方五時', '17:00'],
      ['お昼の一時', '13:00'],
      ['お昼の12時', '12:00'],
      ['深夜1時', '01:00'],
      ['正午', '12:00'],
      ['しょうご', '12:00'],
      ['0時', '00:00'],
      ['零時', '00:00'],
      ['12時', '12:00'],
      ['十二時半', '12:30'],
      ['午後0時半', '12:30'],
      ['午後12時半', '12:30'],
      ['午後三時十分前', '14:50'],
      ['午後3時頃', '15:00'],
      ['えっと、午後三時で', '15:00'],
      ['明日の15時', '15:00'],
      ['今夜七時', '19:00'],
      ['真夜中', '00:00'],
      ['13時から', '13:00'],
    ]);
  });

  it('has two readings without a part of the day, of which the opening hours may leave one', () => {
    check('time', japanese, [
      ['三時', undefined],
      ['3時半', undefined],
      ['11時', undefined],
      ['十時十五分', undefined],
    ]);
    check('time', open, [
      ['三時', '15:00'],
      ['3時半', '15:30'],
      ['11時', '11:00'],
      ['十時十五分', '10:15'],
      ['8時', '20:00'],
      ['9時', '09:00'],
      ['三時十分前', '14:50'],
      ['8時半', undefined],
    ]);
    check('time', { ...japanese, within: ['08:00', '22:00'] }, [
      ['8時', undefined],
      ['9時', undefined],
      ['7時', '19:00'],
    ]);
    check('time', { ...japanese, within: ['18:00', '02:00'] }, [
      ['1時', '01:00'],
      ['7時', '19:00'],
      ['12時', '00:00'],
    ]);
  });

  it('is not understood if there are two, if it cannot be, or if it is a duration', () => {
    check('time', japanese, [
      ['25時', undefined],
      ['24時', undefined],
      ['15時70分', undefined],
      ['午前15時', undefined],
      ['午後12時', undefined],
      ['午前12時', undefined],
      ['15時か16時', undefined],
      ['15時から17時', undefined],
      ['15時以降', undefined],
      ['三時間', undefined],
      ['30分', undefined],
      ['夜', undefined],
      ['いつでもいいです', undefined],
      ['3人', undefined],
      ['はい', undefined],
      ['', undefined],
    ]);
  });
});

describe('a time in English', () => {
  it('is understood with a part of the day or with 24 hours', () => {
    check('time', english, [
      ['half past three in the afternoon', '15:30'],
      ['3:30 pm', '15:30'],
      ['3:30 p.m.', '15:30'],
      ['3 PM', '15:00'],
      ['3pm', '15:00'],
      ['three thirty pm', '15:30'],
      ['three p.m.', '15:00'],
      ['15:30', '15:30'],
      ['fifteen thirty', '15:30'],
      ['fifteen hundred hours', '15:00'],
      ['seven in the morning', '07:00'],
      ['eight at night', '20:00'],
      ['tonight at eight', '20:00'],
      ['quarter past nine in the morning', '09:15'],
      ['a quarter to four in the afternoon', '15:45'],
      ['ten to three pm', '14:50'],
      ['twenty past six in the evening', '18:20'],
      ['twenty five past six pm', '18:25'],
      ['three oh five pm', '15:05'],
      ['noon', '12:00'],
      ['12 noon', '12:00'],
      ['midday', '12:00'],
      ['midnight', '00:00'],
      ['12 am', '00:00'],
      ['12 pm', '12:00'],
      ['twelve thirty', '12:30'],
      ['tomorrow at 3 pm', '15:00'],
      ["three o'clock in the afternoon", '15:00'],
      ['um, 3 pm please', '15:00'],
      ['3 pm for 4 people', '15:00'],
    ]);
  });

  it('has two readings without a part of the day, of which the opening hours may leave one', () => {
    const within = ['09:00', '20:00'] as const;
    check('time', english, [
      ['three', undefined],
      ['half past three', undefined],
      ["ten o'clock", undefined],
      ['3:30', undefined],
    ]);
    check('time', { ...english, within }, [
      ['three', '15:00'],
      ['half past three', '15:30'],
      ["ten o'clock", '10:00'],
      ['3:30', '15:30'],
      ['at four', '16:00'],
      ['four thirty please', '16:30'],
      ['eight thirty', undefined],
    ]);
  });

  it('is not understood if there are two, if it cannot be, or if it is a duration', () => {
    check('time', english, [
      ['25:00', undefined],
      ['3:75 pm', undefined],
      ['15 in the morning', undefined],
      ['3 pm or 4 pm', undefined],
      ['between 3 pm and 4 pm', undefined],
      ['before 3 pm', undefined],
      ['three hours', undefined],
      ['in the evening', undefined],
      ['any time', undefined],
      ['not 3 pm', undefined],
      ['yes', undefined],
      ['', undefined],
    ]);
  });
});
