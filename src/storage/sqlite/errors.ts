import { AppError, serviceUnavailable } from '../../core/errors.ts';

const primaryCodes = { busy: 5, locked: 6, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14 };
const passing = new Set(Object.values(primaryCodes));

function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === primaryCodes.busy || code === primaryCodes.locked;
}

/**
 * Disk and lock errors may be temporary and become 503. Anything else that SQLite reports is a bug and is passed on
 * unchanged.
 */
export function toServiceError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = primaryCode(error);
  return code !== undefined && passing.has(code) ? serviceUnavailable('The database is unavailable.', error) : error;
}

/** Runs `work` and converts driver errors into service errors. */
export function withServiceErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toServiceError(error);
  }
}
