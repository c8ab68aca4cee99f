import { isId } from '../../core/ids.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

const prefixes: Readonly<Record<string, string>> = { agent: 'agt', call: 'call', key: 'key' };

/** Checked here for a better message: the service can only respond that there is no such resource. */
export function checkedId(noun: string, id: string, prefix = prefixes[noun] as string, list = `${noun}s list`): string {
  if (isId(prefix, id)) return id;
  const isKeyId = noun === 'key';
  const name = isKeyId ? 'API key' : noun;
  // The argument may be a key pasted by mistake, which must not end up in terminal logs.
  const isSecret = isKeyId ? !id.startsWith('key_') : /^(vak|vat|whsec)_/.test(id);
  const shown = isSecret ? 'a key' : `"${visible(id)}"`;
  const complete = id.startsWith(`${prefix}_`) ? 'complete ' : '';
  const article = complete === '' && /^[aeiou]/i.test(name) ? 'an' : 'a';
  throw invalidUsage(
    `${shown} is not ${article} ${complete}${name} id: ids are ${prefix}_ followed by 30 characters. Run "voice-agents ${list}" to see them`,
  );
}

export function checkedVersion(version: string, option = 'the version'): string {
  if (/^(?:[1-9]\d{0,8}|latest|published)$/.test(version)) return version;
  throw invalidUsage(`${option} must be a version number, "latest" or "published", not "${visible(version)}"`);
}

/** The name is not echoed: it may be the value of a secret, given by mistake. */
export function checkedSecretName(name: string): string {
  if (/^[A-Z][A-Z0-9_]{0,63}$/.test(name)) return name;
  throw invalidUsage('a secret name is up to 64 capital letters, digits and underscores, and starts with a letter');
}

/** The values of an option that takes several, separated by commas. */
export function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
