/** In bytes. Leaves room for a number, the extension and the temporary suffix within file system limits. */
const maxBaseBytes = 100;

/** Device names on Windows, reserved with any extension. */
const reserved = /^(con|prn|aux|nul|conin|conout|com[0-9¹²³]|lpt[0-9¹²³])$/i;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The file name for an agent name, without extension: letters and digits of any script, and no path characters. */
export function baseNameOf(name: string): string {
  const kept = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '');
  const short = cut(kept).replace(/-+$/, '');
  if (short === '') return 'agent';
  return reserved.test(short) ? `${short}-agent` : short;
}

/** Truncates between grapheme clusters. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= maxBaseBytes) return text;
  let short = '';
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBaseBytes) break;
    short += segment;
  }
  return short;
}

/** Names with the same key are the same file on case-insensitive or normalizing file systems. */
export function nameKey(fileName: string): string {
  return fileName.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * A file name for each agent, given in order of creation. Of several agents with the same name, the first gets the plain
 * name and the others get numbers. Names thus depend only on the order within such a group, so recreating the same agents
 * yields the same names. `taken` contains the keys of existing files, with extension.
 */
export function newFileNames(
  agents: readonly Named[],
  ending: string,
  taken: ReadonlySet<string>,
): Map<string, string> {
  const used = new Set(taken);
  const names = new Map<string, string>();
  const late: { readonly agent: Named; readonly key: string; readonly place: number }[] = [];
  const claim = (agent: Named, base: string): boolean => {
    const fileName = `${base}${ending}`;
    if (used.has(nameKey(fileName))) return false;
    used.add(nameKey(fileName));
    names.set(agent.id, fileName);
    return true;
  };
  for (const [place, agent] of agents.entries()) {
    const base = baseNameOf(agent.name);
    if (!claim(agent, base)) late.push({ agent, key: nameKey(base), place });
  }
  late.sort((a, b) => compare(a.key, b.key) || a.place - b.place);
  const numbers = new Map<string, number>();
  for (const { agent, key } of late) {
    let number = numbers.get(key) ?? 2;
    while (!claim(agent, `${baseNameOf(agent.name)}-${number}`)) number += 1;
    numbers.set(key, number + 1);
  }
  return names;
}

/**
 * Groups files whose agents must be created one after the other, in order, so that a later pull into an empty directory
 * yields the same file names.
 */
export function inOrderOfCreation<T extends { readonly file: string; readonly name: string }>(
  items: readonly T[],
): T[][] {
  const groups = Map.groupBy(items, ({ name }) => nameKey(baseNameOf(name)));
  return [...groups].map(([key, group]) =>
    group.sort((a, b) => numberOf(a.file, key) - numberOf(b.file, key) || compare(a.file, b.file)),
  );
}

function numberOf(file: string, key: string): number {
  const stem = nameKey(file).replace(/\.[^.]*$/, '');
  if (stem === key) return 1;
  const number = stem.startsWith(`${key}-`) ? stem.slice(key.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : Number.POSITIVE_INFINITY;
}

/** By code units, so the order does not depend on the locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
