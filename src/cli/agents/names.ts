import { isId } from '../../core/ids.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../failures.ts';
import { visible } from '../terminal-text.ts';

/** Said here, because the service can only say that there is no such agent. */
export function checkedId(id: string): string {
  if (isId('agt', id)) return id;
  // What stands in place of an id may be a key, and a terminal's lines are kept.
  const shown = id.startsWith('vak_') ? 'a key' : `"${visible(id)}"`;
  const issue = id.startsWith('agt_') ? 'is not a whole id of an agent' : 'is not the id of an agent';
  throw new CommandError(
    `${shown} ${issue}: they are agt_ and 30 characters, and "voice-agents agents list" shows them`,
    exitCodes.wronglyCalled,
  );
}

export function checkedVersion(version: string, option = 'the version'): string {
  if (/^(?:[1-9]\d{0,8}|latest|published)$/.test(version)) return version;
  throw new CommandError(
    `${option} must be a number from 1, "latest" or "published", not "${visible(version)}"`,
    exitCodes.wronglyCalled,
  );
}
