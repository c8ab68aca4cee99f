import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { withDialog } from '../terminal/dialog.ts';
import { table } from '../terminal/table.ts';
import { jsonLine } from '../terminal/text.ts';
import { describeTime } from '../terminal/time.ts';

export interface SecretOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export interface SetSecretOptions extends SecretOptions {
  readonly hosts: string;
}

export async function listSecrets(
  { json = false, ...options }: SecretOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const { items } = await client.secrets.list();
  if (json) return print(stdout, items.map(jsonLine).join(''));
  if (items.length === 0) return print(stdout, 'No secrets yet. Set one with "voice-agents secrets set".\n');
  const rows = items.map(({ name, hosts, updatedAt }) => [name, hosts.join(', '), describeTime(updatedAt, stdout)]);
  await print(stdout, table(['NAME', 'HOSTS', 'CHANGED'], rows, { stream: stdout, elastic: 'HOSTS' }));
}

export async function setSecret(
  name: string,
  { json = false, hosts, ...options }: SetSecretOptions,
  context: CommandContext,
): Promise<void> {
  const { environment, stdin, stdout } = context;
  const checked = checkedName(name);
  const { client } = await connect(options, environment);
  const value = stdin.isTTY
    ? await withDialog(context, ({ askSecret }) => askSecret(`Value of ${checked} (hidden): `))
    : (await text(stdin)).replace(/\r?\n$/, '');
  if (value === '') throw invalidUsage('no value given');
  const given = hosts.split(',').map((host) => host.trim());
  const secret = await client.secrets.put(checked, { value, hosts: given.filter((host) => host !== '') });
  await print(stdout, json ? jsonLine(secret) : `${secret.name} set for ${secret.hosts.join(', ')}.\n`);
}

export async function deleteSecret(
  name: string,
  { json = false, ...options }: SecretOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const checked = checkedName(name);
  const { client } = await connect(options, environment);
  const deleted = await client.secrets.delete(checked);
  await print(stdout, json ? jsonLine(deleted) : `${deleted.name} deleted.\n`);
}

/** Not echoed: it may be a value given by mistake. */
function checkedName(name: string): string {
  if (/^[A-Z][A-Z0-9_]{0,63}$/.test(name)) return name;
  throw invalidUsage(
    'the name of a secret starts with a capital letter and consists of up to 64 capital letters, digits and underscores',
  );
}
