import { isId } from '../../core/ids.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

/** Checked here for a better message: the service can only respond that there is no such call. */
export function checkedCallId(id: string): string {
  if (isId('call', id)) return id;
  // The argument may be a credential pasted by mistake, which must not end up in terminal logs.
  const shown = /^(vak|vat)_/.test(id) ? 'a key' : `"${visible(id)}"`;
  const issue = id.startsWith('call_') ? 'is not a complete call id' : 'is not a call id';
  throw invalidUsage(
    `${shown} ${issue}: ids are call_ followed by 30 characters. Run "voice-agents calls list" to see them`,
  );
}
