import type { Version } from './content.ts';

/** A document as its writer knows it. */
export interface KnownDocument {
  readonly number: number;
  readonly kind: 'text' | 'file' | 'url';
  readonly baseId: string;
  id: string;
  /** Everything that was sent for it. */
  readonly versions: Map<number, Version>;
  /** What it must have once it has settled. */
  expected: number;
  /** Its page cannot be read: what was served before has to stay. */
  isFailing: boolean;
  /** A search has shown this version: none may show an older one from then on. */
  seen: number | null;
  deletion: 'none' | 'sent' | 'acknowledged';
}

export interface KnownBase {
  readonly id: string;
  readonly documents: KnownDocument[];
}

/** All that the writers know, for the searches and the checks. */
export class World {
  readonly bases = new Set<KnownBase>();
  /** Also those that were deleted. */
  readonly documents: KnownDocument[] = [];

  get existing(): KnownDocument[] {
    return [...this.bases].flatMap(({ documents }) => documents);
  }
}
