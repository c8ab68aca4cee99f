import { text } from 'node:stream/consumers';
import { hintOf } from '../../areas/keys/secret.ts';
import { type CommandContext, print, printResult } from '../context.ts';
import { CommandError, invalidUsage } from '../failures.ts';
import { withDialog } from '../terminal/dialog.ts';
import { labelled } from '../terminal/fields.ts';
import { table } from '../terminal/table.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { type CommandOptions, type ConnectionOptions, connect, defaultBaseUrl, openClient } from './connection.ts';
import { changeProfiles, type Profile, profilesFile, readProfiles, unknownProfile } from './profiles.ts';

const defaultName = 'default';

export async function login(options: ConnectionOptions, context: CommandContext): Promise<void> {
  const { environment, stdin, stdout, stderr } = context;
  const name = checkedName(options.profile || defaultName);
  // Read first, so that a broken file is reported before the user types a key.
  const { profiles } = await readProfiles(environment);
  const known = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const given = options.baseUrl || undefined;
  const usual = known?.baseUrl ?? defaultBaseUrl;
  const profile = stdin.isTTY
    ? await askForProfile(given, usual, context)
    : { baseUrl: given ?? usual, apiKey: (await text(stdin)).trim() };
  if (profile.apiKey === '') {
    const where = stdin.isTTY ? '' : ' on standard input: echo "$KEY" | voice-agents login';
    throw invalidUsage(`no API key given${where}`);
  }
  const client = await openClient(profile.baseUrl, profile.apiKey);
  const { workspaceName, workspaceId, scopes } = await client.whoami();
  const file = await changeProfiles(environment, (stored) => ({
    current: name,
    profiles: { ...stored.profiles, [name]: profile },
  }));
  await print(
    stdout,
    labelled([
      ['Profile', `${name}, saved in ${file}`],
      ['URL', profile.baseUrl],
      ['Key', hintOf(profile.apiKey)],
      ['Workspace', `${workspaceName} (${workspaceId})`],
      ['Scopes', scopes.join(', ')],
    ]),
  );
  const stronger = ['VOICE_AGENTS_API_KEY', 'VOICE_AGENTS_BASE_URL'].filter((variable) => environment[variable]);
  if (stronger.length > 0) {
    stderr.write(`voice-agents: ${stronger.join(' and ')} in the environment takes precedence over the profile\n`);
  }
}

function askForProfile(given: string | undefined, usual: string, context: CommandContext): Promise<Profile> {
  return withDialog(context, async ({ ask, askSecret }) => {
    const baseUrl = given ?? ((await ask(`URL [${usual}]: `)) || usual);
    return { baseUrl, apiKey: await askSecret(`API key for ${baseUrl} (hidden): `) };
  });
}

export async function logout(options: { profile?: string }, { environment, stdout }: CommandContext): Promise<void> {
  let removed = '';
  await changeProfiles(environment, ({ current, profiles }) => {
    const name = options.profile || current;
    if (name === null) throw new CommandError('no current profile: specify one with --profile');
    if (!Object.hasOwn(profiles, name)) throw unknownProfile(name);
    removed = name;
    const { [name]: _, ...rest } = profiles;
    return { current: current === name ? null : current, profiles: rest };
  });
  await print(stdout, `Profile ${removed} removed. Its API key stays valid until it is revoked.\n`);
}

export async function listProfiles(
  { json = false, names = false }: { readonly json?: boolean; readonly names?: boolean },
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { current, profiles } = await readProfiles(environment);
  const all = Object.entries(profiles).map(([name, { baseUrl, apiKey }]) => {
    return { name, baseUrl, keyHint: hintOf(apiKey), isCurrent: name === current };
  });
  if (json) return print(stdout, all.map(jsonLine).join(''));
  if (names) return print(stdout, all.map(({ name }) => `${visible(name)}\n`).join(''));
  if (all.length === 0) {
    return print(stdout, `No profiles in ${profilesFile(environment)}. Run "voice-agents login" to create one.\n`);
  }
  const rows = all.map(({ name, baseUrl, keyHint, isCurrent }) => [isCurrent ? '*' : '', name, baseUrl, keyHint]);
  await print(stdout, table(['', 'NAME', 'URL', 'KEY'], rows, { stream: stdout }));
}

export async function useProfile(name: string, _: object, { environment, stdout }: CommandContext): Promise<void> {
  await changeProfiles(environment, ({ profiles }) => {
    if (!Object.hasOwn(profiles, name)) throw unknownProfile(name);
    return { current: name, profiles };
  });
  await print(stdout, `Switched to profile ${name}.\n`);
}

export async function whoami(options: CommandOptions, context: CommandContext): Promise<void> {
  const { client, baseUrl } = await connect(options, context.environment);
  const caller = await client.whoami();
  const text = labelled([
    ['URL', baseUrl],
    ['Workspace', `${caller.workspaceName} (${caller.workspaceId})`],
    ['Key', caller.keyName === null ? caller.keyId : `${caller.keyName} (${caller.keyId})`],
    ['Scopes', caller.scopes.join(', ')],
  ]);
  await printResult(caller, text, options, context);
}

function checkedName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw invalidUsage('--profile must be 1 to 64 letters, digits, dots, hyphens or underscores');
}
