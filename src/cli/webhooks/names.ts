import { isId } from '../../core/ids.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

const kinds = { whk: 'webhook', dlv: 'delivery' } as const;

/** Checked here for a better message: the service can only respond that there is no such resource. */
export function checkedId(prefix: keyof typeof kinds, id: string): string {
  if (isId(prefix, id)) return id;
  // The argument may be a secret pasted by mistake, which must not end up in terminal logs.
  const shown = /^(vak|vat|whsec)_/.test(id) ? 'a secret' : `"${visible(id)}"`;
  throw invalidUsage(`${shown} is not the id of a ${kinds[prefix]}: ids are ${prefix}_ followed by 30 characters`);
}

/** The values of an option that takes a list. */
export function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
