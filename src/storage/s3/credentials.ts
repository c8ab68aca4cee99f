import { readFile, stat } from 'node:fs/promises';
import type { Credentials, CredentialsSource } from '../../config-media.ts';

/** The credentials cannot be used. The message is for the operator, and contains no secret. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** A link is signed without a request that could be refused, so that the file is also looked at from time to time. */
const lookEveryMs = 10_000;

/** Reads the file again if it has changed or the credentials are refused, because another program may renew them. */
export function createCredentials(source: CredentialsSource, now: () => number = () => performance.now()) {
  let known: Promise<Credentials> | null = null;
  /** What the file looked like when it was read. */
  let version = '';
  let lookedAt = Number.NEGATIVE_INFINITY;

  const read = async (): Promise<Credentials> => {
    if (!('file' in source)) return source;
    lookedAt = now();
    version = await versionOf(source.file);
    return credentialsIn(await textOf(source.file), source);
  };
  /** While the file cannot be read, because it is just being written, what is known is used. */
  const renew = async (file: string, current: Promise<Credentials>): Promise<Credentials> => {
    lookedAt = now();
    const before = version;
    if ((await versionOf(file)) === before) return current;
    return read().catch(() => {
      version = before;
      return current;
    });
  };
  const get = (): Promise<Credentials> => {
    if (known === null) {
      known = read();
      // The file may be written later.
      known.catch(() => {
        known = null;
      });
    } else if ('file' in source && now() - lookedAt >= lookEveryMs) known = renew(source.file, known);
    return known;
  };
  return {
    get,
    /** Whether there are others now, so that a request that was refused is worth another try. */
    renewed: async (refused: Credentials): Promise<boolean> => {
      if ((await get()) === refused) known = null;
      const current = await get();
      return (
        current.accessKeyId !== refused.accessKeyId ||
        current.secretAccessKey !== refused.secretAccessKey ||
        current.sessionToken !== refused.sessionToken
      );
    },
  };
}

/** Empty if the file cannot be looked at. */
async function versionOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  return found === null ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CredentialsError(
      `the credentials file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

/** Sections in brackets, with a line for each setting. */
export function credentialsIn(text: string, { file, profile }: { file: string; profile: string }): Credentials {
  const found = new Map<string, string>();
  let section = '';
  for (const line of text.split('\n')) {
    const heading = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line);
    if (heading !== null) section = heading[1] as string;
    const setting = /^\s*([a-z_]+)\s*=\s*(\S+)\s*$/i.exec(line);
    if (setting !== null && section === profile) found.set((setting[1] as string).toLowerCase(), setting[2] as string);
  }
  const accessKeyId = found.get('aws_access_key_id');
  const secretAccessKey = found.get('aws_secret_access_key');
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new CredentialsError(
      `the credentials file ${file} has no aws_access_key_id and aws_secret_access_key in its section [${profile}]`,
    );
  }
  return { accessKeyId, secretAccessKey, sessionToken: found.get('aws_session_token') ?? null };
}
