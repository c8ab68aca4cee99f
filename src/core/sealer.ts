import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts what must not be stored in the clear, and derives keys for signatures. */
export interface Sealer {
  /** `associatedId` is the id of the row: what is sealed for one row cannot be opened as another. */
  seal(plaintext: string | Uint8Array, associatedId: string): Buffer;
  /** Throws if no key opens it, or it was sealed for another row or changed. */
  open(sealed: Uint8Array, associatedId: string): Buffer;
  /** The first bytes of everything that the current key seals: anything else is to be sealed again. */
  readonly currentStart: Buffer;
  /** A key for one purpose, from the current data key. */
  derive(label: string): Buffer;
  /** The same from every data key, the current one first: for signatures that outlive a change of keys. */
  deriveEach(label: string): readonly Buffer[];
}

/** What is sealed starts with the version of the format and the id of the key, followed by nonce, tag and ciphertext. */
const formatVersion = 1;
const keyIdBytes = 4;
const startBytes = 1 + keyIdBytes;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = startBytes + nonceBytes + tagBytes;

export const dataKeyBytes = 32;

/** Opens with each of the keys, and seals with the first. */
export function createSealer(dataKeys: readonly [Buffer, ...Buffer[]]): Sealer {
  const [current, ...older] = dataKeys.map((key) => ({ start: startOf(key), key: derived(key, 'seal') })) as [
    SealingKey,
    ...SealingKey[],
  ];
  return {
    currentStart: current.start,
    seal: (plaintext, associatedId) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(associatedId));
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext;
      const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return Buffer.concat([current.start, nonce, cipher.getAuthTag(), ciphertext]);
    },
    open: (sealed, associatedId) => {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const start = bytes.subarray(0, startBytes);
      const key = [current, ...older].find((known) => known.start.equals(start))?.key;
      if (key === undefined || bytes.length < headBytes) throw new Error('it was sealed with an unknown key');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(startBytes, startBytes + nonceBytes))
        .setAAD(Buffer.from(associatedId))
        .setAuthTag(bytes.subarray(startBytes + nonceBytes, headBytes));
      return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]);
    },
    derive: (label) => derived(dataKeys[0], `use ${label}`),
    deriveEach: (label) => dataKeys.map((key) => derived(key, `use ${label}`)),
  };
}

/** Identifies a key without revealing anything about it. */
export function dataKeyDigest(dataKey: Buffer): string {
  return derived(dataKey, 'digest').toString('hex');
}

interface SealingKey {
  readonly start: Buffer;
  readonly key: Buffer;
}

function startOf(dataKey: Buffer): Buffer {
  return Buffer.concat([Buffer.of(formatVersion), derived(dataKey, 'id').subarray(0, keyIdBytes)]);
}

function derived(dataKey: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', dataKey, '', `voice-agent-service ${label}`, dataKeyBytes));
}
