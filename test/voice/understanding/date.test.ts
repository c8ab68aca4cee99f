import { describe, it } from 'node:test';
import { check, day, english, japanese, wednesday } from './tables.ts';

describe('a date in Japanese', () => {
  it('is understood relative to today, a Wednesday', () => {
    check('date', japanese, [
      ['今日', '2026-05-06'],
      ['本日でお願いします', '2026-05-06'],
      ['きょう', '2026-05-06'],
      ['明日', '2026-05-07'],
      ['あした', '2026-05-07'],
      ['アシタです', '2026-05-07'],
      ['あすでお願いします', '2026-05-07'],
      ['はい、明日です', '2026-05-07'],
      ['えっと、明後日で', '2026-05-08'],
      ['あさって', '2026-05-08'],
      ['明々後日', '2026-05-09'],
      ['しあさって', '2026-05-09'],
      ['三日後', '2026-05-09'],
      ['3日後でお願いします', '2026-05-09'],
      ['二週間後', '2026-05-20'],
      ['一か月後', '2026-06-06'],
      ['来週の今日', '2026-05-13'],
      ['今夜でお願いします', '2026-05-06'],
      ['月末', '2026-05-31'],
      ['来月の末', '2026-06-30'],
      ['来月の5日', '2026-06-05'],
      ['再来月の十日', '2026-07-10'],
      ['今月の二十日', '2026-05-20'],
    ]);
  });

  it('is understood as a weekday if there is only one that can be meant', () => {
    check('date', japanese, [
      ['月曜', '2026-05-11'],
      ['金曜日', '2026-05-08'],
      ['今週の金曜', '2026-05-08'],
      ['来週の月曜', '2026-05-11'],
      ['来週月曜日でお願いします', '2026-05-11'],
      ['来週の水曜', '2026-05-13'],
      ['再来週の火曜', '2026-05-19'],
      ['次の金曜日', '2026-05-08'],
      ['今度の土曜', '2026-05-09'],
      ['らいしゅうのげつようび', '2026-05-11'],
      // Today is a Wednesday: today or in a week?
      ['水曜', undefined],
      // Does the week begin on Sunday or on Monday?
      ['来週の日曜', undefined],
      ['今週の日曜日', undefined],
      // It is over.
      ['今週の月曜', undefined],
      ['土日', undefined],
      ['週末', undefined],
      ['来週', undefined],
      ['月曜か火曜', undefined],
      ['金曜以外', undefined],
    ]);
  });

  it('is understood with month and day, in digits, kanji and kana', () => {
    check('date', japanese, [
      ['3月5日', '2027-03-05'],
      ['三月五日', '2027-03-05'],
      ['十二月二十四日です', '2026-12-24'],
      ['１２月２４日', '2026-12-24'],
      ['12/24', '2026-12-24'],
      ['2026-12-24', '2026-12-24'],
      ['2027年3月5日', '2027-03-05'],
      ['二〇二七年三月五日', '2027-03-05'],
      ['令和八年十月十日', '2026-10-10'],
      ['令和9年1月2日', '2027-01-02'],
      ['来年の3月5日', '2027-03-05'],
      ['さんがついつか', '2027-03-05'],
      ['じゅうにがつにじゅうよっか', undefined],
      ['しちがつはつか', '2026-07-20'],
      ['5月6日', '2026-05-06'],
      ['5月5日', '2027-05-05'],
      ['10日', '2026-05-10'],
      ['5日', '2026-06-05'],
      ['二十日でお願いします', '2026-05-20'],
      ['31日', '2026-05-31'],
      ['クリスマス', '2026-12-25'],
      ['クリスマスイブ', '2026-12-24'],
      ['大晦日', '2026-12-31'],
      ['5月8日金曜日', '2026-05-08'],
      ['明日の15時に3名で', '2026-05-07'],
      ['5月10日の午後三時', '2026-05-10'],
    ]);
  });

  it('is not understood if it is over, cannot be, or could be another', () => {
    check('date', japanese, [
      ['昨日', undefined],
      ['2020年3月5日', undefined],
      ['平成元年一月八日', undefined],
      ['2月30日', undefined],
      ['2月29日', undefined],
      ['13月1日', undefined],
      ['32日', undefined],
      ['5月8日月曜日', undefined],
      ['明日か明後日', undefined],
      ['明日じゃなくて明後日', undefined],
      ['5月8日から10日まで', undefined],
      ['5月8日以降', undefined],
      ['三日間', undefined],
      ['一か月', undefined],
      ['15時', undefined],
      ['3名です', undefined],
      ['いつでも', undefined],
      ['はい', undefined],
      ['えっと', undefined],
      ['', undefined],
    ]);
  });

  it('follows the time zone of the call', () => {
    const lateInTokyo = Date.UTC(2026, 4, 6, 15, 30);
    check('date', { ...japanese, now: lateInTokyo }, [['今日', '2026-05-07']]);
    check('date', { ...japanese, now: lateInTokyo, timeZone: 'UTC' }, [['今日', '2026-05-06']]);
    check('date', { ...japanese, now: lateInTokyo, timeZone: 'America/Los_Angeles' }, [['明日', '2026-05-07']]);
  });

  it('has two readings on a Sunday, when the next week may have begun', () => {
    check('date', { ...japanese, now: wednesday + 4 * day }, [
      ['来週の月曜', undefined],
      ['明日', '2026-05-11'],
      ['月曜', '2026-05-11'],
    ]);
  });
});

describe('a date in English', () => {
  it('is understood relative to today, a Wednesday', () => {
    check('date', english, [
      ['today', '2026-05-06'],
      ['tonight please', '2026-05-06'],
      ['tomorrow', '2026-05-07'],
      ['Um, tomorrow', '2026-05-07'],
      ['the day after tomorrow', '2026-05-08'],
      ['in three days', '2026-05-09'],
      ['in 2 weeks', '2026-05-20'],
      ['two weeks from today', '2026-05-20'],
      ['a week from tomorrow', '2026-05-14'],
      ['in a month', '2026-06-06'],
      ['a week from Tuesday', '2026-05-19'],
      ['the 5th of next month', '2026-06-05'],
      ['next month on the tenth', '2026-06-10'],
    ]);
  });

  it('is understood as a weekday if there is only one that can be meant', () => {
    check('date', english, [
      ['Monday', '2026-05-11'],
      ['on Friday', '2026-05-08'],
      ['this Friday', '2026-05-08'],
      ['next Tuesday', '2026-05-12'],
      ['next Monday, please', '2026-05-11'],
      ['Thursday next week', '2026-05-14'],
      ['next week on Friday', '2026-05-15'],
      ['this coming Sunday', '2026-05-10'],
      ['Tuesday the 12th', '2026-05-12'],
      // The one in two days, or the one of next week?
      ['next Friday', undefined],
      ['Wednesday', undefined],
      ['Sunday next week', undefined],
      ['Tuesday the 13th', undefined],
      ['next week', undefined],
      ['the weekend', undefined],
      ['Monday or Tuesday', undefined],
      ['any day but Friday', undefined],
    ]);
  });

  it('is understood with month and day, in digits and words', () => {
    check('date', english, [
      ['March 5th', '2027-03-05'],
      ['march fifth', '2027-03-05'],
      ['the fifth of March', '2027-03-05'],
      ['March twenty-first', '2027-03-21'],
      ['December 24', '2026-12-24'],
      ['24 December', '2026-12-24'],
      ['December the 24th', '2026-12-24'],
      ['December the twenty-fourth', '2026-12-24'],
      ['Dec 24th, 2026', '2026-12-24'],
      ['2026-12-24', '2026-12-24'],
      ['12/24', '2026-12-24'],
      ['24/12', '2026-12-24'],
      ['5/5', '2027-05-05'],
      ['May 6th', '2026-05-06'],
      ['the 10th', '2026-05-10'],
      ['the fifth', '2026-06-05'],
      ['the thirty-first', '2026-05-31'],
      ['Christmas Eve', '2026-12-24'],
      ["New Year's Day", '2027-01-01'],
      ['Friday May 8th at 3 pm', '2026-05-08'],
      ['May 8th for 4 people', '2026-05-08'],
    ]);
    check('date', { ...english, language: 'en-US' }, [['6/5', '2026-06-05']]);
  });

  it('is not understood if it is over, cannot be, or could be another', () => {
    check('date', english, [
      ['yesterday', undefined],
      ['last Friday', undefined],
      ['March 5th 2020', undefined],
      ['February 30th', undefined],
      // June 5 or May 6?
      ['6/5', undefined],
      ['Monday, May 8th', undefined],
      ['May 8th or 9th', undefined],
      ['May 8th to 10th', undefined],
      ['March 5 or 6', undefined],
      ['not tomorrow', undefined],
      ['I may come', undefined],
      ['in May', undefined],
      ['sometime', undefined],
      ['three people', undefined],
      ['at 3 pm', undefined],
      ['well, um', undefined],
      ['', undefined],
    ]);
  });
});
