import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'vak_';
const randomCharacters = 32;
const checksumCharacters = 6;

/** `vak_`, 32 random characters (190 bits) and a checksum by which a secret scanner tells a real key without asking us. */
export function createSecret(): string {
  let random = '';
  for (let count = 0; count < randomCharacters; count += 1) random += alphabet[randomInt(alphabet.length)];
  return `${prefix}${random}${checksum(random)}`;
}

/** Says offline whether a text is shaped like one of our keys. */
export function hasValidChecksum(secret: string): boolean {
  const body = secret.slice(prefix.length);
  const random = body.slice(0, -checksumCharacters);
  return (
    secret.startsWith(prefix) &&
    /^[0-9A-Za-z]+$/.test(body) &&
    random.length === randomCharacters &&
    body.slice(-checksumCharacters) === checksum(random)
  );
}

/** What is stored instead of the secret. It has too many bits to be guessed, so a slow hash would only cost. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** The few characters by which people tell their keys apart; never enough to be a part of the guess. */
export function hintOf(secret: string): string {
  return secret.startsWith(prefix) ? `${secret.slice(0, prefix.length + 4)}…` : `${secret.slice(0, 3)}…`;
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let place = 0; place < checksumCharacters; place += 1) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
