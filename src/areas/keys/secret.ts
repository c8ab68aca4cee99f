import { createHash, randomInt } from 'node:crypto';
import { checksum } from '../../core/checksum.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'vak_';
const randomCharacters = 32;

/** `vak_`, 32 random characters (190 bits) and a checksum, by which a secret scanner can verify a key offline. */
export function createSecret(): string {
  let random = '';
  for (let count = 0; count < randomCharacters; count += 1) random += alphabet[randomInt(alphabet.length)];
  return `${prefix}${random}${checksum(random)}`;
}

/** The stored form of a secret. It has too much entropy for a brute-force attack, so a slow hash is not needed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** A few characters by which people tell their keys apart; not enough to help in guessing one. */
export function hintOf(secret: string): string {
  return secret.startsWith(prefix) ? `${secret.slice(0, prefix.length + 4)}…` : `${secret.slice(0, 3)}…`;
}
