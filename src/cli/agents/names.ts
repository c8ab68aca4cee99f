import { isId } from '../../core/ids.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

/** Checked here for a better message: the service can only respond that there is no such agent. */
export function checkedId(id: string): string {
  if (isId('agt', id)) return id;
  // The argument may be an API key pasted by mistake, which must not end up in terminal logs.
  const shown = id.startsWith('vak_') ? 'a key' : `"${visible(id)}"`;
  const issue = id.startsWith('agt_') ? 'is not a complete agent id' : 'is not an agent id';
  throw invalidUsage(
    `${shown} ${issue}: ids are agt_ followed by 30 characters. Run "voice-agents agents list" to see them`,
  );
}

export function checkedVersion(version: string, option = 'the version'): string {
  if (/^(?:[1-9]\d{0,8}|latest|published)$/.test(version)) return version;
  throw invalidUsage(`${option} must be a version number, "latest" or "published", not "${visible(version)}"`);
}
