import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Encrypts a saved response that contains a secret, with a key derived from the caller's API key, which is not stored.
 * The caller can repeat the request and get the response again; access to the database alone does not reveal it.
 */
export function seal(text: string, callerSecret: string): string {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFrom(callerSecret, salt), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

export function unseal(sealed: string, callerSecret: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyFrom(callerSecret, bytes.subarray(0, 16)),
    bytes.subarray(16, 28),
  );
  decipher.setAuthTag(bytes.subarray(28, 44));
  return Buffer.concat([decipher.update(bytes.subarray(44)), decipher.final()]).toString('utf8');
}

function keyFrom(callerSecret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', callerSecret, salt, 'voice-agent-service kept answer', 32));
}
