import type { Call } from '../../../contract/calls/call.ts';
import { redact, redactJson } from '../../../voice/text/personal-data.ts';

type StorageSetting = Call['dataStorageSetting'];
type Output = Readonly<Record<string, unknown>>;

/** What is stored of the output of a step. Only `body` is content; the rest tells how the step went. */
export function keptOutput(output: Output, setting: StorageSetting): Output {
  if (setting === 'everything' || !Object.hasOwn(output, 'body')) return output;
  const { body, ...rest } = output;
  if (setting === 'basic_attributes_only') return rest;
  try {
    return { ...rest, body: redactJson(body) };
  } catch {
    return rest;
  }
}

/** The same for the start of a response, as an attempt has it. */
export function keptResponse(text: string | null, setting: StorageSetting): string | null {
  if (text === null || setting === 'everything') return text;
  if (setting === 'basic_attributes_only') return null;
  try {
    return startOf(redact(text));
  } catch {
    return null;
  }
}

const maxResponseLength = 4096;

/** The start of a text, as much as an attempt shows. */
export function startOf(text: string): string {
  const start = text.slice(0, maxResponseLength);
  // Do not split a surrogate pair.
  return start.replace(/[\uD800-\uDBFF]$/, '');
}
