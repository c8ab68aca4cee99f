/**
 * Grams of one, two and three UTF-16 code units, by which names are indexed. Each is an integer with 16 bits per unit.
 * No unit is zero, so grams of different lengths never collide.
 */
const unit = 0x1_0000;
const twoUnits = unit * unit;
export const maxGram = 3;

export function addGrams(grams: Set<number>, text: string): void {
  for (let index = 0; index < text.length; index += 1) {
    let gram = text.charCodeAt(index);
    grams.add(gram);
    if (index + 1 === text.length) continue;
    gram += text.charCodeAt(index + 1) * unit;
    grams.add(gram);
    if (index + 2 < text.length) grams.add(gram + text.charCodeAt(index + 2) * twoUnits);
  }
}

/** Grams that a name must have to contain the text: up to `maxCount` of the longest ones, spread over the text. */
export function gramsWithin(text: string, maxCount: number): number[] {
  const size = Math.min(text.length, maxGram);
  const places = text.length - size + 1;
  const count = Math.min(places, maxCount);
  const grams = Array.from({ length: count }, (_, index) => {
    const place = count === 1 ? 0 : Math.floor((index * (places - 1)) / (count - 1));
    return gramAt(text, place, size);
  });
  return [...new Set(grams)];
}

function gramAt(text: string, place: number, size: number): number {
  let gram = 0;
  for (let index = place + size - 1; index >= place; index -= 1) gram = gram * unit + text.charCodeAt(index);
  return gram;
}
