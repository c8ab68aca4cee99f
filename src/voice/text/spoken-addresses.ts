import { spokenName } from './character-names.ts';

/** Besides those of e-mail addresses. */
const symbols: Readonly<Record<string, readonly [japanese: string, english: string]>> = {
  '/': ['スラッシュ', 'slash'],
  ':': ['コロン', 'colon'],
  '~': ['チルダ', 'tilde'],
  '%': ['パーセント', 'percent'],
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
  return text.replace(addresses, (found) => {
    const end = found.search(/[._~/?#&=:@!$';,-]+$/);
    const address = end < 0 ? found : found.slice(0, end);
    const rest = end < 0 ? '' : found.slice(end).replace(/[/_]/g, '');
    return readOut(address, usesJapanese) + rest;
  });
}

/** Nobody can follow a scheme, a query or a fragment by ear: a voice says only the host and the path. */
function readOut(address: string, usesJapanese: boolean): string {
  const host = address
    .replace(/^https?:\/\//i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '');
  return host
    .replace(/[^A-Za-z0-9]/g, (symbol) => {
      const name = spokenName(symbol, usesJapanese) ?? symbols[symbol]?.[usesJapanese ? 0 : 1];
      return ` ${name ?? ''} `;
    })
    .replace(/ {2,}/g, ' ')
    .trim();
}
