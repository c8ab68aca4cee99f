import { VoiceAgentsError } from '../../../sdk/src/errors.ts';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Transport } from '../../../sdk/src/request.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { readProfiles, unknownProfile } from './profiles.ts';

/** A misspelled field of a file or an option is an error, not ignored. */
const strictHandling = { prefer: 'handling=strict' };

/** The default URL of the service. */
export const defaultBaseUrl = 'http://127.0.0.1:8080';

export interface ConnectionOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
}

/** The options of most commands that connect to a service. */
export interface CommandOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export interface Connection {
  readonly client: VoiceAgents;
  /** For operations that are known only by their path. */
  readonly transport: Transport;
  readonly baseUrl: string;
}

/**
 * Options take precedence over the environment, and the environment over the profile. There is no option for the key,
 * because command lines are visible to all users of a machine.
 */
export async function connect(options: ConnectionOptions, environment: NodeJS.ProcessEnv): Promise<Connection> {
  const { apiKey, baseUrl } = await readConnection(options, environment);
  if (apiKey === undefined) {
    throw new CommandError('no API key: run "voice-agents login", or set VOICE_AGENTS_API_KEY', exitCodes.notAllowed);
  }
  const client = await openClient(baseUrl, apiKey);
  const { Transport } = await import('../../../sdk/src/request.ts');
  const url = baseUrl.replace(/\/+$/, '');
  const transport = new Transport({
    credential: apiKey,
    baseUrl: url,
    timeoutMs: 60_000,
    maxRetries: 2,
    fetch,
    headers: strictHandling,
  });
  return { client, transport, baseUrl };
}

/** The URL alone, for commands that need no key. */
export async function serviceUrl(options: ConnectionOptions, environment: NodeJS.ProcessEnv): Promise<URL> {
  const { baseUrl } = await readConnection(options, environment);
  if (/^https?:\/\//.test(baseUrl) && URL.canParse(baseUrl)) return new URL(baseUrl);
  throw invalidUsage('the service URL is not a valid URL');
}

async function readConnection(
  options: ConnectionOptions,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly apiKey: string | undefined; readonly baseUrl: string }> {
  const ownKey = environment.VOICE_AGENTS_API_KEY || undefined;
  // An empty variable is treated as unset.
  const named = options.profile || undefined;
  // If the environment provides the key, a broken profiles file does not matter.
  const isProvided = ownKey !== undefined && named === undefined;
  const { current, profiles } = isProvided ? { current: null, profiles: {} } : await readProfiles(environment);
  const name = named ?? current ?? 'default';
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (named !== undefined && profile === undefined) throw unknownProfile(named);
  const baseUrl = options.baseUrl || (profile?.baseUrl ?? defaultBaseUrl);
  return { apiKey: ownKey ?? profile?.apiKey, baseUrl };
}

/** A client, or a readable error if the URL or the key is invalid. */
export async function openClient(baseUrl: string, apiKey: string): Promise<VoiceAgents> {
  // Here and not for every command: `serve` takes 2 MB less without it.
  const { VoiceAgents } = await import('../../../sdk/src/index.ts');
  try {
    return new VoiceAgents({ baseUrl, apiKey, headers: strictHandling });
  } catch (error) {
    if (!(error instanceof VoiceAgentsError)) throw error;
    // The message uses the option names of the SDK.
    const message = error.message.replace(/^baseUrl/, 'the service URL').replace(/^apiKey/, 'the key');
    throw invalidUsage(message);
  }
}
