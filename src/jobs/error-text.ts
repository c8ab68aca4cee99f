import { inspect } from 'node:util';

export const maxErrorLength = 1000;

/** Converts anything thrown to a text of limited length that both engines can store. */
export function errorText(error: unknown): string {
  return (messageOf(error) || 'an error without a message')
    .slice(0, maxErrorLength)
    .replaceAll('\u0000', '\ufffd')
    .toWellFormed();
}

function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message || error.name);
    return typeof error === 'string'
      ? error
      : `thrown: ${inspect(error, { depth: 1, maxStringLength: maxErrorLength })}`;
  } catch {
    // A thrown object may have a getter that throws itself.
    return 'an error that cannot be read';
  }
}

/** For errors whose message may quote content. Names of our own errors and those of JavaScript have none. */
export function errorName(error: unknown): string {
  return error instanceof Error ? errorText(error.name) : typeof error;
}
