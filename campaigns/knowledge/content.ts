import type { Random } from '../random.ts';

/** What a document says from one change to the next. Every sentence is unique, and is deleted with its version. */
export interface Version {
  readonly number: number;
  readonly sentences: readonly string[];
}

const words = ['返品', 'reservation', '営業時間', 'parking', 'ポイント', 'warranty'];
/** In some versions, so that extraction and indexing take long enough to be killed. */
const manySentences = 900;
const sentencesPerSection = 6;

/** In every sentence of a document, and in no other document. A sentence that begins in lower case has no end before it. */
export function subjectOf(document: number): string {
  return `Subject${document}x`;
}

/** Random digits, so that no compression or encoding of a database shares bytes between two of them. */
export function newVersion(document: number, number: number, random: Random): Version {
  const count = random.chance(0.12) ? manySentences : random.int(3, 40);
  const sentences = Array.from({ length: count }, (_, index) => {
    // Random, so that no two share bytes, and numbered: of a hundred thousand random ones, some would be the same.
    const plant = `${random.int(0, 2 ** 40).toString(36)}x${document}x${number}x${index}`;
    return `${subjectOf(document)} ${markOf(document, number, index)} ${random.pick(words)} plant${plant}q.`;
  });
  return { number, sentences };
}

function markOf(document: number, version: number, index: number): string {
  return `d${document}v${version}s${index}e`;
}

/** The same in every version: a chunk of it keeps its id. */
const sharedSection = (document: number) => `${subjectOf(document)} is always here.`;

export function markdownOf(document: number, { sentences }: Version): string {
  const sections = [sharedSection(document), ...paragraphsOf(sentences)];
  return sections.map((section, index) => `## Part ${index}\n\n${section}`).join('\n\n');
}

export function htmlOf(document: number, { sentences }: Version): string {
  const sections = [sharedSection(document), ...paragraphsOf(sentences)];
  const body = sections.map((section, index) => `<h2>Part ${index}</h2><p>${section}</p>`).join('\n');
  return `<!doctype html><html><head><title>Page ${document}</title></head><body>${body}</body></html>`;
}

function paragraphsOf(sentences: readonly string[]): string[] {
  const paragraphs: string[] = [];
  for (let start = 0; start < sentences.length; start += sentencesPerSection)
    paragraphs.push(sentences.slice(start, start + sentencesPerSection).join(' '));
  return paragraphs;
}

interface ReadChunk {
  readonly documentRevision: number;
  readonly text: string;
}

/** What some chunks of a document are, told by their marks. */
export interface ReadVersion {
  /** Null: there are no chunks, or they have no mark. */
  readonly version: number | null;
  /** Empty if they can be of one revision. */
  readonly issues: readonly string[];
}

/** `versions`: those that were sent. `isWhole`: the chunks are all of them, not only the best. */
export function readVersion(
  document: number,
  versions: ReadonlyMap<number, Version>,
  chunks: readonly ReadChunk[],
  isWhole: boolean,
): ReadVersion {
  if (chunks.length === 0) return { version: null, issues: [] };
  const marks = chunks.flatMap(({ text }) => [...text.matchAll(/d(\d+)v(\d+)s(\d+)e/g)].map((mark) => mark.slice(1)));
  const indexes = marks.map(([, , index]) => index);
  const [number = null, ...others] = new Set(marks.map(([, version]) => Number(version)));
  const known = number === null ? undefined : versions.get(number);
  const revisions = new Set(chunks.map(({ documentRevision }) => documentRevision));
  const shared = chunks.filter(({ text }) => text.includes(sharedSection(document))).length;
  const isShort = indexes.length < (known?.sentences.length ?? 1);
  const issues = [
    marks.some(([of]) => Number(of) !== document) && 'has chunks of another document',
    others.length > 0 && 'has chunks of two versions',
    revisions.size > 1 && 'has chunks of two revisions',
    new Set(indexes).size < indexes.length && 'has a sentence twice',
    known === undefined && 'has a version that was never sent',
    isWhole && isShort && `has ${indexes.length} of ${known?.sentences.length} sentences, in ${chunks.length} chunks`,
    isWhole && shared !== 1 && `has the section that never changes ${shared} times`,
  ];
  return { version: number, issues: issues.filter((issue) => issue !== false) };
}

const plantPattern = /plant[0-9a-z]+q/g;

/** The part of each sentence that is nowhere else. */
export function plantsIn(text: string): string[] {
  return text.match(plantPattern) ?? [];
}
