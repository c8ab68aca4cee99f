import { applyRules, type Rule } from './text-rules.ts';

/** What Open JTalk reads wrongly, and what it should be given instead. Applied in order, after NFKC. */
const digitNames = ['ゼロ', 'イチ', 'ニー', 'サン', 'ヨン', 'ゴー', 'ロク', 'ナナ', 'ハチ', 'キュー'];
const weekday = '[月火水木金土日]';

const rules: readonly Rule[] = [
  // Times: 9:05 is 9時5分, 10:00 is 10時.
  [
    /(?<![\d:])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])/g,
    (_, hour = '', minute = '') => `${Number(hour)}時${minute === '00' ? '' : `${Number(minute)}分`}`,
  ],
  [/(?<!\d)0時/g, 'れい時'],
  // Dates: with a weekday, or with a day that no common fraction has. Others are fractions.
  [
    new RegExp(`(?<![\\d/])(1[0-2]|[1-9])/(3[01]|[12]\\d|[1-9])(?=\\(${weekday}\\))`, 'g'),
    (_, month = '', day = '') => `${month}月${day}日`,
  ],
  [/(?<![\d/])([1-9])\/([2-9]|10)(?![\d/])/g, (all, top = '', bottom = '') => fractionOrDate(all ?? '', top, bottom)],
  [/(?<![\d/])(1[0-2]|[1-9])\/(3[01]|[12]\d|[1-9])(?![\d/])/g, (_, month = '', day = '') => `${month}月${day}日`],
  [new RegExp(`(?<![\\d月])1日(?=\\(${weekday}\\))`, 'g'), 'ついたち'],
  // Phone numbers: groups that are separated by spaces are read digit by digit only with hyphens.
  [/(?<!\d)(0\d{1,3}) (\d{2,4}) (\d{3,4})(?!\d)/g, '$1-$2-$3'],
  // The digits of a code are read one by one.
  [/([A-Za-z])-?(\d{2,})(?![\d.,])/g, (_, letter = '', digits = '') => `${letter}${spelled(digits)}`],
  [/[¥￥](\d+(?:,\d{3})*)/g, '$1円'],
  // A range, and an open one. Both dashes are in use.
  [/(\d[^\s\d、。〜~]{0,3})[〜~](?=\d)/g, '$1から'],
  [/(?<=[\d円時分日月名人])[〜~]/g, 'から'],
  [/(時|分)-(?=\d{1,2}時)/g, '$1から'],
  [/(\d)m(?![A-Za-z])/g, '$1メートル'],
  [/#(?=\d)/g, 'シャープ'],
  [/\*(?=\d)/g, 'こめじるし'],
  [/(?<!\d)20歳/g, 'はたち'],
  [/明後日/g, 'あさって'],
  [/他の/g, 'ほかの'],
  [/(ご予約|ご希望|ご利用|ご本人|お連れ|初めて|担当|代理)の方(?!が(いい|良い|よい))/g, '$1のかた'],
  [/(^|[\s、。])様/g, '$1さま'],
];

/** Text that Open JTalk reads as a person would. Empty if nothing of it can be spoken. */
export function readableJapanese(text: string): string {
  // The full-width forms become the usual ones, except the mark of a range, which NFKC makes a tilde.
  const usual = text
    .normalize('NFKC')
    .replaceAll('〜', '~')
    .replace(/[‐‑−–]/g, '-');
  const readable = applyRules(usual, rules).replace(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(readable) ? readable : '';
}

function fractionOrDate(all: string, top: string, bottom: string): string {
  const isFraction = Number(top) < Number(bottom) && Number(bottom) <= 4;
  return isFraction ? `${bottom}分の${top}` : all;
}

function spelled(digits: string): string {
  return [...digits].map((digit) => digitNames[Number(digit)]).join('');
}
