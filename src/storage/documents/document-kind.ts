import { stateConflict } from '../../core/errors.ts';

/** A parsed document of an earlier version. */
export type OlderDocument = Readonly<Record<string, unknown>>;

/**
 * Turns a document of one version into the next. Pure, and independent of the contract and of all other code, which
 * describe the newest version only.
 */
export type Upgrade = (document: OlderDocument) => Record<string, unknown>;

/**
 * Documents of one shape that are stored as JSON text, each with the version of its shape in a column next to it.
 * Documents of the current version are sent as they are stored. Older ones are upgraded whenever they are read. Newer
 * ones, written by a newer release in a rolling upgrade, are read as they are, and never written.
 */
export interface DocumentKind {
  /** For people, such as `agent`. */
  readonly name: string;
  /** The version that this process writes, starting at 1. */
  readonly version: number;
  /** The stored text as it is, or that of the upgraded document. */
  current<Text extends string | Buffer>(text: Text, version: number): Text | string;
  parse<Document>(text: string | Buffer, version: number): Document;
  isNewer(version: number): boolean;
  /** Throws for a document that a newer release has written. Call it before every change of a stored document. */
  requireWritable(version: number): void;
  /**
   * A document in SQL, for statements that join many: older ones are in an array with their version. `prefix` is the
   * name of the table with a period, if the statement needs it.
   */
  itemSql(prefix?: string): string;
  /** Reads joined items. `oldest` is the lowest of their versions; null without items. */
  currentItems<Text extends string | Buffer>(items: Text, oldest: number | null): Text | string;
}

/** How long a rolling upgrade takes is unknown; by then, another process may get the request. */
const retryAfterSeconds = 10;

/** `upgrades` in order: the first turns version 1 into 2. A released upgrade never changes. */
export function createDocumentKind(name: string, upgrades: readonly Upgrade[] = []): DocumentKind {
  const current = upgrades.length + 1;
  const upgraded = (document: OlderDocument, version: number): OlderDocument =>
    upgrades.slice(version - 1).reduce((older, upgrade) => upgrade(older), document);
  const isNewer = (version: number): boolean => version > current;
  const parse = (text: string | Buffer, version: number) => upgraded(JSON.parse(String(text)), version);

  return {
    name,
    version: current,
    current: (text, version) => (version < current ? JSON.stringify(parse(text, version)) : text),
    parse: <Document>(text: string | Buffer, version: number) => parse(text, version) as Document,
    isNewer,
    requireWritable: (version) => {
      if (!isNewer(version)) return;
      const reason = 'upgrade_in_progress';
      throw stateConflict(name, { status: 'upgraded', allowed: [], reason, retryAfterSeconds });
    },
    itemSql: (prefix = '') =>
      `CASE WHEN ${prefix}doc_version < ${current} THEN '[' || ${prefix}doc_version || ',' || ${prefix}doc || ']' ELSE ${prefix}doc END`,
    currentItems: (items, oldest) => {
      if (oldest === null || oldest >= current) return items;
      const documents: (OlderDocument | [number, OlderDocument])[] = JSON.parse(`[${items}]`);
      return documents.map((item) => JSON.stringify(Array.isArray(item) ? upgraded(item[1], item[0]) : item)).join();
    },
  };
}
