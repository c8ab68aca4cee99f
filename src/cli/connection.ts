import { type Command, Option } from 'commander';
import { VoiceAgents, VoiceAgentsError } from '../../sdk/src/index.ts';
import { CommandError } from './command-error.ts';
import { exitCodes } from './failures.ts';
import { readProfiles, unknownProfile } from './profiles.ts';

/** Where the service listens unless told otherwise. */
export const defaultBaseUrl = 'http://127.0.0.1:8080';

export interface ConnectionOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
}

export interface Connection {
  readonly client: VoiceAgents;
  readonly baseUrl: string;
}

/** The options of every command that speaks to a service. */
export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(profileOption())
    .addOption(new Option('--base-url <url>', 'where the service is').env('VOICE_AGENTS_BASE_URL'));
}

export function profileOption(): Option {
  return new Option('--profile <name>', 'which profile of "voice-agents login"').env('VOICE_AGENTS_PROFILE');
}

/**
 * An option counts before the environment, and that before the profile. A key comes by the environment or by the profile,
 * never by an option: what stands on a command line can be seen by everybody on the machine.
 */
export async function connect(options: ConnectionOptions, environment: NodeJS.ProcessEnv): Promise<Connection> {
  const ownKey = environment.VOICE_AGENTS_API_KEY || undefined;
  // An empty variable counts as none.
  const named = options.profile || undefined;
  // Where everything is said already, a file that cannot be read is nobody's business.
  const isSaid = ownKey !== undefined && named === undefined;
  const { current, profiles } = isSaid ? { current: null, profiles: {} } : await readProfiles(environment);
  const name = named ?? current ?? 'default';
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (named !== undefined && profile === undefined) throw unknownProfile(named);
  const apiKey = ownKey ?? profile?.apiKey;
  if (apiKey === undefined) {
    throw new CommandError(
      'there is no API key: "voice-agents login" keeps one, or set VOICE_AGENTS_API_KEY',
      exitCodes.notAllowed,
    );
  }
  const baseUrl = options.baseUrl || (profile?.baseUrl ?? defaultBaseUrl);
  return { client: openClient(baseUrl, apiKey), baseUrl };
}

/** A client, or in a sentence why there cannot be one. */
export function openClient(baseUrl: string, apiKey: string): VoiceAgents {
  try {
    return new VoiceAgents({ baseUrl, apiKey });
  } catch (error) {
    if (!(error instanceof VoiceAgentsError)) throw error;
    // It speaks of the options of the SDK.
    const message = error.message.replace(/^baseUrl/, 'the address').replace(/^apiKey/, 'the key');
    throw new CommandError(message, exitCodes.wronglyCalled);
  }
}
