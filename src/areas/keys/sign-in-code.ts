import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queries } from '../../storage/database.ts';
import { readSetting, removeSetting, writeSetting } from '../../storage/settings.ts';
import { hashSecret } from './secret.ts';

export const signInMinutes = 10;
const setting = 'sign-in-code';
const codeBytes = 24;

/** There is one code at most: that of the first start. The database has its digest, its expiry and the key it is for. */
interface StoredCode {
  readonly hash: string;
  readonly expiresAt: number;
  readonly keyId: string;
}

/** Creates the code of the link that opens the dashboard signed in. Only the link contains it. */
export async function issueSignInCode(queries: Queries, keyId: string, now: number): Promise<string> {
  const code = randomBytes(codeBytes).toString('base64url');
  const stored: StoredCode = { hash: hashSecret(code), expiresAt: now + signInMinutes * 60_000, keyId };
  await writeSetting(queries, setting, JSON.stringify(stored));
  return code;
}

/** Uses up the code: returns the id of the key it was issued for, or null if it is wrong, expired or used. */
export async function takeSignInCode(queries: Queries, code: string, now: number): Promise<string | null> {
  const text = await readSetting(queries, setting);
  if (text === null) return null;
  const { hash, expiresAt, keyId } = JSON.parse(text) as StoredCode;
  if (expiresAt <= now) {
    await removeSetting(queries, setting);
    return null;
  }
  if (!timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(code)))) return null;
  // On PostgreSQL, the second of two transactions waits here for the first, and then finds nothing to remove.
  const removed = await queries.run('DELETE FROM settings WHERE name = $1 AND value = $2', [setting, text]);
  return removed === 1 ? keyId : null;
}
