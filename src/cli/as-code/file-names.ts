/** In bytes, so that a number, the ending and the name of a file in the making fit into what any file system takes. */
const maxBaseBytes = 100;

/** Windows keeps these for devices, whatever follows behind a dot. */
const reserved = /^(con|prn|aux|nul|conin|conout|com[0-9¹²³]|lpt[0-9¹²³])$/i;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The name of an agent as the name of a file, without its ending: letters and digits of any script, and nothing that leads elsewhere. */
export function baseNameOf(name: string): string {
  const kept = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '');
  const short = cut(kept).replace(/-+$/, '');
  if (short === '') return 'agent';
  return reserved.test(short) ? `${short}-agent` : short;
}

/** Between characters as people see them. */
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

/** Two names with the same key are one file on some systems. */
export function nameKey(fileName: string): string {
  return fileName.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * A name for each agent, which come in the order of their creation. The first of several that would have the same name
 * gets it, the others get numbers. So names depend on the order within such a group alone, and the same agents made
 * anew get the same names. `taken` has the keys, with the ending, of what there is.
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
 * Files whose agents have to be made one after the other, each group in its order, so that a later pull into an empty
 * folder gives them the same names again.
 */
export function inOrderOfCreation<T extends { readonly file: string; readonly name: string }>(
  items: readonly T[],
): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = nameKey(baseNameOf(item.name));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  for (const [key, group] of groups)
    group.sort((a, b) => numberOf(a.file, key) - numberOf(b.file, key) || compare(a.file, b.file));
  return [...groups.values()];
}

function numberOf(file: string, key: string): number {
  const stem = nameKey(file).replace(/\.[^.]*$/, '');
  if (stem === key) return 1;
  const number = stem.startsWith(`${key}-`) ? stem.slice(key.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : Number.POSITIVE_INFINITY;
}

/** By code units: the same on every machine, whatever its language. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
