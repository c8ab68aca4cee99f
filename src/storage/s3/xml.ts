/**
 * Responses of object storage are short documents with a known shape, and their texts are ids, digests and names without
 * markup: a search for elements is enough.
 */
export function textIn(xml: string, element: string): string | undefined {
  const match = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml);
  return match === null ? undefined : decoded(match[1] as string);
}

/** The content of each element with the name. They are not nested. */
export function elementsIn(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, content = '']) => content);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? entity;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
  });
}
