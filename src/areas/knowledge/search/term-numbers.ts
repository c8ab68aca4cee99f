import type { QueryTerm } from './query.ts';

/** In bytes: the entry of a map, and the object of a string without its characters. */
const wordOverhead = 72;
/** V8 makes longer parts of a string refer to the whole, which would stay in memory. */
const minPartLength = 13;

/**
 * Numbers the terms of a base from 0, in the order in which they first occur. Two characters of 16 bits are the key of a
 * hash table in typed arrays, which takes a fifth of the memory of a map of strings.
 */
export class TermNumbers {
  /** One more than the number of each single character; 0: unknown. */
  readonly #singles = new Uint32Array(0x10000);
  #singleCount = 0;
  #keys = new Uint32Array(1024);
  #numbers = new Uint32Array(1024);
  /** The highest bits of a product depend on all of the key. */
  #shift = 22;
  #keyCount = 0;
  readonly #words = new Map<string, number>();
  #wordBytes = 0;

  get size(): number {
    return this.#singleCount + this.#keyCount + this.#words.size;
  }

  get bytes(): number {
    return this.#singles.byteLength + this.#keys.byteLength + this.#numbers.byteLength + this.#wordBytes;
  }

  /** −1 if the term is unknown. */
  of({ word, first, second }: QueryTerm): number {
    if (word !== null) return this.#words.get(word) ?? -1;
    if (first > 0xffff || second > 0xffff) return this.#words.get(rareKey(first, second)) ?? -1;
    if (second === 0) return (this.#singles[first] as number) - 1;
    const key = keyOf(first, second);
    const slot = this.#slotOf(key);
    return this.#keys[slot] === key ? (this.#numbers[slot] as number) : -1;
  }

  addCharacters(first: number, second: number): number {
    if (first > 0xffff || second > 0xffff) return this.addWord(rareKey(first, second));
    if (second === 0) return this.#addSingle(first);
    const key = keyOf(first, second);
    const slot = this.#slotOf(key);
    if (this.#keys[slot] === key) return this.#numbers[slot] as number;
    const number = this.size;
    this.#keys[slot] = key;
    this.#numbers[slot] = number;
    this.#keyCount += 1;
    if (this.#keyCount * 3 > this.#keys.length * 2) this.#grow();
    return number;
  }

  addWord(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const number = this.size;
    this.#words.set(word.length < minPartLength ? word : copyOf(word), number);
    this.#wordBytes += wordOverhead + 2 * word.length;
    return number;
  }

  #addSingle(character: number): number {
    const known = this.#singles[character] as number;
    if (known > 0) return known - 1;
    this.#singles[character] = this.size + 1;
    this.#singleCount += 1;
    return this.size - 1;
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = Math.imul(key, 0x9e3779b1) >>> this.#shift;
    // A key is never 0: that is an empty slot.
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const numbers = this.#numbers;
    this.#shift -= 1;
    this.#keys = new Uint32Array(keys.length * 2);
    this.#numbers = new Uint32Array(keys.length * 2);
    for (let slot = 0; slot < keys.length; slot += 1) {
      const key = keys[slot] as number;
      if (key === 0) continue;
      const target = this.#slotOf(key);
      this.#keys[target] = key;
      this.#numbers[target] = numbers[slot] as number;
    }
  }
}

function keyOf(first: number, second: number): number {
  return ((first << 16) | second) >>> 0;
}

/** No word contains a space. */
function rareKey(first: number, second: number): string {
  return ` ${String.fromCodePoint(first)}${second === 0 ? '' : String.fromCodePoint(second)}`;
}

function copyOf(text: string): string {
  return text.split('').join('');
}
