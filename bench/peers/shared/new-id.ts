import { randomInt } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id that sorts by the time it was made, in the form that the seeded agents have. */
export function newAgentId(): string {
  let time = '';
  for (let rest = Date.now(), place = 0; place < 10; place += 1) {
    time = alphabet[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let random = '';
  for (let place = 0; place < 20; place += 1) random += alphabet[randomInt(32)];
  return `agt_${time}${random}`;
}
