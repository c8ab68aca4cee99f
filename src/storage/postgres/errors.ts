import { AppError, serviceUnavailable } from '../../core/errors.ts';

const transientCodes = [
  /^08/, // the connection broke
  /^53/, // the server lacks memory, disk or connections
  /^57P0/, // the server is starting, stopping, or ended the session
  /^57014$/, // the statement timed out
  /^25P03$/, // this process stalled in the middle of a transaction
  /^58/, // a system error on the server, such as its disk
  /^25006$/, // a standby: it may become the primary again, or another server will
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)/,
];
/** Messages of driver errors without a code, for when no usable connection exists. */
const transientMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|The server does not support|Query read timeout)/;

/** The driver timed out waiting for a response. After `toServiceError`, it is the cause. */
export function isQueryTimeout(error: unknown): boolean {
  const { message, cause } = error as Error;
  return message === 'Query read timeout' || (cause instanceof Error && cause.message === 'Query read timeout');
}

export function isConflict(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === '40001' || code === '40P01';
}

/** A lock was not free in time, or two transactions waited for each other. */
export function isBlocked(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === '55P03' || code === '40P01';
}

/**
 * A server that cannot be reached becomes 503. Anything else that PostgreSQL reports is a bug and is passed on
 * unchanged.
 */
export function toServiceError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = String((error as { code?: unknown }).code ?? '');
  const isTransient = transientCodes.some((pattern) => pattern.test(code)) || transientMessages.test(error.message);
  return isTransient ? serviceUnavailable('The database is unavailable.', error) : error;
}
