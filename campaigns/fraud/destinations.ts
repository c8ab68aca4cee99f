import { ourNumber } from '../phone/settings.ts';
import type { Random } from '../random.ts';

/** The carrier has British numbers only, so that Britain is all that may be called. */
const abroad = [
  // The Caribbean, islands and satellites, where calls are expensive; others that are merely not Britain.
  ...['+1876', '+1809', '+1473', '+1649', '+1268', '+870', '+8816', '+88299', '+979', '+252', '+675', '+247', '+5399'],
  ...['+1202', '+819', '+336', '+4917', '+79', '+8613', '+234', '+9198', '+2126', '+37167', '+3737', '+6799', '+2402'],
  // The Channel Islands and the Isle of Man share the code of Britain.
  ...['+447781', '+447797', '+447624', '+441481', '+441534', '+441624'],
];
const premium = ['+44901', '+44909', '+44908', '+44911', '+44843', '+44844', '+44871', '+44872', '+44873'];

/** What one may write instead of a number in E.164 format. */
const disguises: readonly ((number: string) => string)[] = [
  (number) => number.replace('+44', '0'),
  (number) => number.replace('+', '00'),
  (number) => number.replace('+', ''),
  (number) => number.replace('+44', '+440'),
  (number) => number.replace('+44', '+44(0)'),
  (number) => `${number.slice(0, 6)} ${number.slice(6)}`,
  (number) => `tel:${number}`,
  (number) => `sip:${number}@example.com`,
  (number) => `client:${number}`,
  (number) => `${number};ext=5`,
  (number) => `${number},+18762123456`,
  (number) => `${number}\r\nTo: +18762123456`,
  (number) => `${number}\u0000`,
  (number) => number.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (number) => number.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  (number) => `${number}</Number><Number>+18762123456`,
];

const inventedValidChance = 0.3;

/** Makes numbers, and remembers which of them may be dialed. By construction: not by the rules that are tested. */
export class Destinations {
  readonly allowed = new Set<string>();
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get count(): number {
    return this.#count;
  }

  /** A British mobile number that is busy, and was not used before. */
  next(): string {
    this.#count += 1;
    return `+4474${String(this.#count).padStart(6, '0')}02`;
  }

  /** A number that somebody made up: it may not be dialed either, though the carrier may dial such numbers. */
  nextInvented(): string {
    return this.#random.chance(inventedValidChance) ? this.next() : this.nextForbidden();
  }

  nextAllowed(): string {
    const number = this.next();
    this.allowed.add(number);
    return number;
  }

  nextForbidden(): string {
    const random = this.#random;
    const fill = (prefix: string, length: number) => {
      this.#count += 1;
      let number = prefix;
      while (number.length < length) number += random.int(0, 9);
      return number;
    };
    switch (random.int(0, 5)) {
      case 0:
      case 1:
        return fill(random.pick(abroad), random.int(11, 13));
      case 2:
        return fill(random.pick(premium), 13);
      case 3:
        return random.pick(disguises)(this.next());
      case 4:
        this.#count += 1;
        return random.pick([ourNumber, '+99900000001', '+99912345678', '999', '112', '', '+', '*67', '+1', '#31#']);
      default:
        return fill(`+${random.pick([...'1235679'])}`, random.int(8, 16));
    }
  }
}
