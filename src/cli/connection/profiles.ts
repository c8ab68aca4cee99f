import { rmSync } from 'node:fs';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, invalidUsage } from '../failures.ts';
import { cleanUpOnExit } from '../terminal/exit-cleanup.ts';
import { visible } from '../terminal/text.ts';

/** The URL of a service and an API key for it. */
export interface Profile {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface Profiles {
  /** The profile used by default. */
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const none: Profiles = { current: null, profiles: {} };
const forOthers = 0o077;
const maxWaitMs = 5000;

export function profilesFile(environment: NodeJS.ProcessEnv): string {
  const { VOICE_AGENTS_PROFILES: named, XDG_CONFIG_HOME: configured, APPDATA: roaming } = environment;
  if (named) return named;
  if (process.platform === 'win32' && roaming) return join(roaming, 'voice-agents', 'profiles.json');
  return join(configured || join(environment.HOME || homedir(), '.config'), 'voice-agents', 'profiles.json');
}

export async function readProfiles(environment: NodeJS.ProcessEnv): Promise<Profiles> {
  const file = profilesFile(environment);
  let text: string;
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & forOthers) !== 0) {
      throw new CommandError(
        `${file} is readable by other users: run "chmod 600" on it, and consider rotating the keys in it`,
      );
    }
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  }
  return parseProfiles(text, file);
}

/**
 * Changes the file atomically; it is created readable by its owner only. Concurrent changes wait for each other, so that
 * none is lost.
 */
export async function changeProfiles(
  environment: NodeJS.ProcessEnv,
  change: (profiles: Profiles) => Profiles,
): Promise<string> {
  const file = profilesFile(environment);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return withLock(`${file}.lock`, async () => {
    const profiles = change(await readProfiles(environment));
    // Loaded lazily, since most commands only read.
    const { writeFileAtomically } = await import('../atomic-file.ts');
    await writeFileAtomically(file, async (target) => {
      target.end(`${JSON.stringify(profiles, null, 2)}\n`);
      await finished(target);
    });
    return file;
  });
}

export function unknownProfile(name: string): CommandError {
  return invalidUsage(
    `profile "${visible(name)}" not found: run "voice-agents profiles" to list profiles, or "voice-agents login --profile NAME" to create one`,
  );
}

/** A stale lock is not removed automatically: the user can tell whether another command is running. */
async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const giveUpMs = performance.now() + maxWaitMs;
  for (;;) {
    try {
      await (await open(lock, 'wx', 0o600)).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (performance.now() > giveUpMs) {
        throw new CommandError(`another command is changing the profiles. If not, remove ${lock}`);
      }
      await delay(20);
    }
  }
  const unlock = (): void => rmSync(lock, { force: true });
  const forget = cleanUpOnExit(unlock);
  try {
    return await work();
  } finally {
    unlock();
    forget();
  }
}

function parseProfiles(text: string, file: string): Profiles {
  // The parse error is not shown, because it could quote a key.
  const issue = new CommandError(`${file} is not a valid profiles file: remove it and run "voice-agents login" again`);
  let value: Partial<Profiles> | null;
  try {
    value = JSON.parse(text);
  } catch {
    throw issue;
  }
  const { current = null, profiles } = value ?? {};
  if (typeof profiles !== 'object' || profiles === null || !(current === null || typeof current === 'string'))
    throw issue;
  for (const profile of Object.values(profiles)) {
    if (typeof profile?.baseUrl !== 'string' || typeof profile.apiKey !== 'string') throw issue;
  }
  return { current, profiles };
}
