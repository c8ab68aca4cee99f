import { versionConflict } from '../../core/errors.ts';

/** `If-Match`: the change applies only to the version that the caller read. Without the header, the last write wins. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || tagsIn(ifMatch).some((tag) => tag === '*' || tag === etag)) return;
  throw versionConflict(etag);
}

/** `If-None-Match`: the caller already has this version. Weak tags match too, which is safe for reads. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return tagsIn(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** The entity tags of a header. Some clients omit the quotes; they are added. */
function tagsIn(header: string): string[] {
  const tags = header.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? [];
  return tags.map((tag) => (tag === '*' || tag.endsWith('"') ? tag : `"${tag}"`));
}
