import type { Neighbor } from './rows.ts';

/**
 * The text of a chunk with as many of its neighbors under the same heading as fit: the next one first, then in turn.
 * `used` are chunks that are shown already; those that are added join them. `around` is in the order of the document.
 */
export function passageOf(
  chunk: Pick<Neighbor, 'id' | 'index' | 'text'>,
  around: readonly Neighbor[],
  maxCharacters: number,
  used: Set<string>,
): string {
  const own = around.find(({ id }) => id === chunk.id);
  const texts = [chunk.text];
  let length = chunk.text.length;
  const sides = [
    { neighbors: around.filter(({ index }) => index > chunk.index), isNext: true },
    { neighbors: around.filter(({ index }) => index < chunk.index).toReversed(), isNext: false },
  ];
  while (sides.length > 0) {
    const side = sides.shift();
    const neighbor = side?.neighbors.shift();
    if (side === undefined || neighbor === undefined) continue;
    const fits = length + 1 + neighbor.text.length <= maxCharacters;
    if (!fits || neighbor.section !== own?.section || used.has(neighbor.id)) continue;
    used.add(neighbor.id);
    length += 1 + neighbor.text.length;
    if (side.isNext) texts.push(neighbor.text);
    else texts.unshift(neighbor.text);
    sides.push(side);
  }
  return texts.join('\n');
}
