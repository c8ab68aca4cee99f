import { CommanderError } from 'commander';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InternalServerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  UnprocessableError,
  ValidationError,
  VoiceAgentsError,
} from '../../sdk/src/index.ts';
import { ConfigError } from '../config.ts';
import { AppError } from '../errors.ts';
import { SchemaTooNewError } from '../storage/migrate.ts';
import { CommandError } from './command-error.ts';

/** What a command ends with. `voice-agents --help` tells of them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wronglyCalled: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  /** `plan --exit-code`: there is something to apply. */
  differs: 7,
} as const;

/** What a person can mend is told in a sentence; only the rest needs a stack. */
export function describeFailure(error: unknown): string {
  if (error instanceof CommanderError) return '';
  if (error instanceof ApiError) return describeRefusal(error);
  if (error instanceof ConnectionError) return `voice-agents: ${describeConnection(error)}\n`;
  if (
    error instanceof CommandError ||
    error instanceof ConfigError ||
    error instanceof SchemaTooNewError ||
    error instanceof VoiceAgentsError
  ) {
    return `voice-agents: ${error.message}\n`;
  }
  if (error instanceof AppError && error.cause instanceof Error) {
    return `voice-agents: ${error.message} (${error.cause.message})\n`;
  }
  if (isPlainFault(error)) return `voice-agents: ${error.message}\n`;
  return `${error instanceof Error ? error.stack : String(error)}\n`;
}

export function exitCodeFor(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wronglyCalled;
  if (error instanceof ConfigError || error instanceof ValidationError || error instanceof UnprocessableError) {
    return exitCodes.wronglyCalled;
  }
  if (error instanceof AuthenticationError || error instanceof PermissionError) return exitCodes.notAllowed;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  if (error instanceof ConflictError) return exitCodes.conflict;
  if (error instanceof ConnectionError || error instanceof RateLimitError || error instanceof InternalServerError) {
    return exitCodes.unavailable;
  }
  return exitCodes.failed;
}

function describeRefusal(error: ApiError): string {
  const fields =
    error instanceof ValidationError || error instanceof UnprocessableError
      ? [
          ...Object.entries(error.fieldErrors).flatMap(([field, faults]) =>
            faults.map((fault) => `  ${field}: ${fault}\n`),
          ),
          ...error.formErrors.map((fault) => `  ${fault}\n`),
        ]
      : [];
  const lost = error.isAfterLostAnswer
    ? '  An answer to the same request was lost before: it may have been carried out. Look before you repeat it.\n'
    : '';
  const id = error.requestId === null ? '' : `, request ${error.requestId}`;
  return `voice-agents: ${error.message} (${error.status} ${error.code}${id})\n${fields.join('')}${lost}`;
}

function describeConnection(error: ConnectionError): string {
  return error.cause instanceof Error && error.cause.message !== error.message
    ? `${error.message} (${innermost(error.cause)})`
    : error.message;
}

function innermost(error: Error): string {
  return error.cause instanceof Error
    ? innermost(error.cause)
    : error.message || ((error as { code?: string }).code ?? '');
}

/** Faults of the surroundings that carry their own explanation: a taken port, a refused password, a missing folder, a full disk. */
function isPlainFault(error: unknown): error is Error {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && typeof code === 'string' && /^(E[A-Z]+|28...|3D000|42501|55P03)$/.test(code);
}
