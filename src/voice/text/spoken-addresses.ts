interface Symbols {
  readonly [symbol: string]: string;
}

const japanese: Symbols = {
  '.': 'ドット',
  '@': 'アットマーク',
  '/': 'スラッシュ',
  '-': 'ハイフン',
  _: 'アンダーバー',
  '+': 'プラス',
  ':': 'コロン',
  '~': 'チルダ',
  '%': 'パーセント',
};

const english: Symbols = {
  '.': 'dot',
  '@': 'at',
  '/': 'slash',
  '-': 'dash',
  _: 'underscore',
  '+': 'plus',
  ':': 'colon',
  '~': 'tilde',
  '%': 'percent',
};

/** Without a scheme, only what ends in one of these is an address: "Node.js" and "and.then" are not. */
const topLevel =
  'com|net|org|jp|io|dev|ai|app|edu|gov|info|biz|co|me|tv|uk|us|eu|de|fr|es|it|nl|ca|au|cn|kr|tw|in|cloud|shop|site|online';
const email = '[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\\.){1,6}[A-Za-z]{2,24}';
const path = "(?::\\d{1,5})?(?:[/?#][A-Za-z0-9._~%/+?#&=:@!$';,-]*)?";
const withScheme = `https?://[A-Za-z0-9.-]{1,253}${path}`;
const withoutScheme = `(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\\.){1,6}(?:${topLevel})(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])${path}`;
const addresses = new RegExp(`(?<![A-Za-z0-9@._-])(?:${withScheme}|${email}|${withoutScheme})`, 'gi');
const couldBeAddress = /[@.]/;

/** Reads out addresses on the web and e-mail addresses: a voice would stumble over them or spell them. */
export function spokenAddresses(text: string, usesJapanese: boolean): string {
  if (!couldBeAddress.test(text)) return text;
  const symbols = usesJapanese ? japanese : english;
  return text.replace(addresses, (found) => {
    const end = found.search(/[._~/?#&=:@!$';,-]+$/);
    const address = end < 0 ? found : found.slice(0, end);
    const rest = end < 0 ? '' : found.slice(end).replace(/[/_]/g, '');
    return readOut(address, symbols) + rest;
  });
}

/** Nobody can follow a scheme, a query or a fragment by ear: a voice says only the host and the path. */
function readOut(address: string, symbols: Symbols): string {
  const host = address
    .replace(/^https?:\/\//i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '');
  return host
    .replace(/[^A-Za-z0-9]/g, (symbol) => ` ${symbols[symbol] ?? ''} `)
    .replace(/ {2,}/g, ' ')
    .trim();
}
