import { versionConflict } from '../../core/errors.ts';

/** `If-Match`: the change is for exactly what the caller read. Without the header the last writer wins. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || tagsIn(ifMatch).some((tag) => tag === '*' || tag === etag)) return;
  throw versionConflict(etag);
}

/** `If-None-Match`: the caller has these very bytes already. Weak tags count here, as a read loses nothing by it. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return tagsIn(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** The tags of a header. One without quotes, as some clients send, is taken as if it had them. */
function tagsIn(header: string): string[] {
  const tags = header.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? [];
  return tags.map((tag) => (tag === '*' || tag.endsWith('"') ? tag : `"${tag}"`));
}
