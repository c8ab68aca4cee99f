import { hash } from 'node:crypto';

/** A strong ETag: it changes with every byte of the document. */
export function etagOf(document: string | Buffer): string {
  return `"${hash('sha256', document, 'base64url').slice(0, 27)}"`;
}
