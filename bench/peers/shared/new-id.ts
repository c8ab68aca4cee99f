import { randomBytes, randomUUID } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const randomCharacters = 20;

/** An id that sorts by creation time, in the format of the seeded agents. */
export function newAgentId(): string {
  let time = '';
  for (let rest = Date.now(), place = 0; place < 10; place += 1) {
    time = alphabet[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let random = '';
  for (const byte of randomBytes(randomCharacters)) random += alphabet[byte & 31];
  return `agt_${time}${random}`;
}

export function newRequestId(): string {
  return randomUUID();
}
