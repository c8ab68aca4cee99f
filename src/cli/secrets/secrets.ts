import { text } from 'node:stream/consumers';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { checkedSecretName, listOf } from '../resources/ids.ts';
import { withDialog } from '../terminal/dialog.ts';
import { jsonLine } from '../terminal/text.ts';

export interface SetSecretOptions extends CommandOptions {
  readonly hosts: string;
}

export async function setSecret(
  name: string,
  { json = false, hosts, ...options }: SetSecretOptions,
  context: CommandContext,
): Promise<void> {
  const { environment, stdin, stdout } = context;
  const checked = checkedSecretName(name);
  const { client } = await connect(options, environment);
  const value = stdin.isTTY
    ? await withDialog(context, ({ askSecret }) => askSecret(`Value of ${checked} (hidden): `))
    : (await text(stdin)).replace(/\r?\n$/, '');
  if (value === '') throw invalidUsage('no value given');
  const secret = await client.secrets.put(checked, { value, hosts: listOf(hosts) ?? [] });
  await print(stdout, json ? jsonLine(secret) : `${secret.name} set for ${secret.hosts.join(', ')}.\n`);
}
