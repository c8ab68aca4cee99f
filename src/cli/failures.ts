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
} from '../../sdk/src/errors.ts';
import { ConfigError } from '../config.ts';
import { AppError } from '../core/errors.ts';
import { type CommandContext, ReaderGoneError } from './context.ts';
import { visible } from './terminal/text.ts';

/** The exit codes, which `voice-agents --help` documents. */
export const exitCodes = {
  done: 0,
  failed: 1,
  invalidUsage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  /** `plan --exit-code`: there are changes to apply. */
  differs: 7,
  /** `calls dial`: the call was not answered. */
  notConnected: 8,
} as const;

/** An expected failure of a command. The message is for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function invalidUsage(message: string): CommandError {
  return new CommandError(message, exitCodes.invalidUsage);
}

export const exitCodeHelp = `
Exit codes:
  0  success
  1  other error
  2  invalid usage: an option, a file, or a field that the service rejects
  3  not allowed: the API key is missing, invalid or lacks a scope
  4  not found
  5  conflict: the resource has changed since you read the ETag for --if-match, or
     a call is in the wrong state
  6  the service is unreachable or temporarily unavailable: try again
  7  plan --exit-code: there are changes to apply
  8  calls dial, numbers test: the call was not connected`;

/** Why a call has no transcript. */
export const missingTranscript: Readonly<Record<string, string>> = {
  not_stored: 'the transcript of this call is not stored: see dataStorageSetting of its agent',
  deleted: 'the transcript of this call has been deleted',
};

/** Replaces a 404 whose details have a known reason. */
export function explainMissing(error: unknown, texts: Readonly<Record<string, string>> = {}): never {
  const reason = error instanceof NotFoundError ? (error.details as { reason?: string } | null)?.reason : undefined;
  const text = texts[reason ?? ''];
  throw text === undefined ? error : new CommandError(text, exitCodes.notFound);
}

/** Errors that the user can fix are described in a sentence; only bugs get a stack trace. */
export function describeFailure(error: unknown): string {
  if (error instanceof CommanderError || error instanceof ReaderGoneError) return '';
  if (error instanceof ApiError) return describeRefusal(error);
  if (error instanceof VoiceAgentsError) return `voice-agents: ${visible(error.message)}\n${adviceFor(error)}`;
  if (error instanceof CommandError || error instanceof ConfigError || isSchemaTooNew(error)) {
    return `voice-agents: ${error.message}\n`;
  }
  if (error instanceof AppError && error.cause instanceof Error) {
    return `voice-agents: ${error.message} (${error.cause.message})\n`;
  }
  if (isSystemError(error)) return `voice-agents: ${error.message}\n`;
  return `${error instanceof Error ? error.stack : String(error)}\n`;
}

export function reportFailure(error: unknown, { stderr, setExitCode }: CommandContext): void {
  stderr.write(describeFailure(error));
  setExitCode(exitCodeFor(error));
}

export function exitCodeFor(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof ReaderGoneError) return exitCodes.done;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.invalidUsage;
  if (error instanceof ConfigError || error instanceof ValidationError || error instanceof UnprocessableError) {
    return exitCodes.invalidUsage;
  }
  if (error instanceof AuthenticationError || error instanceof PermissionError) return exitCodes.notAllowed;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  if (error instanceof ConflictError) return exitCodes.conflict;
  if (error instanceof ConnectionError || error instanceof RateLimitError || error instanceof InternalServerError) {
    return exitCodes.unavailable;
  }
  return exitCodes.failed;
}

/** The message of the service repeats the field errors, so only its first part is shown. */
function describeRefusal(error: ApiError): string {
  const issues =
    error instanceof ValidationError || error instanceof UnprocessableError
      ? [
          ...Object.entries(error.fieldErrors).flatMap(([field, texts]) => texts.map((text) => `${field}: ${text}`)),
          ...error.formErrors,
        ]
      : [];
  const message = issues.length === 0 ? error.message : (error.message.split(': ', 1)[0] as string);
  const scope =
    error instanceof PermissionError && error.requiredScope !== null ? [`scope: ${error.requiredScope}`] : [];
  const etag = error instanceof ConflictError && error.currentEtag !== null ? [`etag: ${error.currentEtag}`] : [];
  const lost = error.isAfterLostAnswer
    ? [
        'The response to an earlier attempt was lost, so the request may already have been processed. Check before you repeat it.',
      ]
    : [];
  const id = error.requestId === null ? '' : `, request ${error.requestId}`;
  const head = `${message.replace(/\.$/, '')} (${error.status} ${error.code}${id})`;
  const lines = [...issues, ...scope, ...etag, ...lost].map((line) => `  ${visible(line)}\n`);
  return `voice-agents: ${visible(head)}\n${lines.join('')}`;
}

function adviceFor(error: VoiceAgentsError): string {
  return /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(error.message)
    ? '  Is the service running? The URL comes from --base-url, VOICE_AGENTS_BASE_URL or the profile.\n'
    : '';
}

/** Compared by name, because importing the class would load all migrations. */
function isSchemaTooNew(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SchemaTooNewError';
}

/** System errors with a self-explanatory message: port in use, wrong password, missing directory, disk full. */
function isSystemError(error: unknown): error is Error {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && typeof code === 'string' && /^(E[A-Z]+|28...|3D000|42501|55P03)$/.test(code);
}
