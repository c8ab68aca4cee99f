import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  UnprocessableError,
  ValidationError,
  VoiceAgentsError,
} from '../../sdk/src/index.ts';
import { ArgumentError } from './argument-error.ts';
import type { Tool } from './tool.ts';

/** The surroundings of a call that failed. */
export interface Failed {
  readonly tool: Tool;
  readonly baseUrl: string;
  readonly isOverdue: boolean;
  readonly deadlineMs: number;
}

/** The text of a failure for the model: what it was, where, and what to do. Null for a bug in this server. */
export function describeFailure(error: unknown, failed: Failed): string | null {
  const lines = linesOf(error, failed);
  // No error of the service or of the SDK has a key in it. Should one ever have, it goes no further than this.
  return lines === null ? null : withoutKeys(lines.join('\n'));
}

export function withoutKeys(text: string): string {
  return text.replaceAll(/vak_\w+/g, 'vak_…');
}

function linesOf(error: unknown, { tool, baseUrl, isOverdue, deadlineMs }: Failed): string[] | null {
  const doubt = tool.isWrite ? ['It may have been carried out or not: look before you repeat it.'] : [];
  if (error instanceof ArgumentError) return [error.message, ...listed(error.issues)];
  if (error instanceof ApiError) return [summaryOf(error), ...fieldIssues(error), ...adviceFor(error, tool)];
  if (isOverdue) {
    return [
      `The service at ${baseUrl} has not got it done within ${deadlineMs / 1000} seconds.`,
      ...doubt,
      later(null),
    ];
  }
  if (error instanceof ConnectionError) {
    const reason = reasonOf(error);
    return [
      `The service at ${baseUrl} cannot be reached: ${error.message}${reason === '' ? '' : ` (${reason})`}`,
      ...doubt,
      'Is it running? Once it is, the same call works: this server need not be started again.',
    ];
  }
  return error instanceof VoiceAgentsError ? [error.message] : null;
}

function summaryOf({ message, status, code, requestId }: ApiError): string {
  return `${message} (${status} ${code}${requestId === null ? '' : `, request ${requestId}`})`;
}

function fieldIssues(error: ApiError): string[] {
  if (!(error instanceof ValidationError || error instanceof UnprocessableError)) return [];
  const fields = Object.entries(error.fieldErrors).flatMap(([field, issues]) =>
    issues.map((issue) => `${field}: ${issue}`),
  );
  return listed([...fields, ...error.formErrors]);
}

function adviceFor(error: ApiError, tool: Tool): string[] {
  const lost = error.isAfterLostAnswer
    ? ['An answer to the same request was lost before: it may have been carried out. Look before you repeat it.']
    : [];
  if (error instanceof AuthenticationError) {
    return [
      'The API key of this server is wrong, revoked or expired. Repeating does not help: whoever set it up has to give it another, and start it again.',
    ];
  }
  if (error instanceof PermissionError) return [`The API key lacks the scope ${error.requiredScope ?? tool.scope}.`];
  if (error instanceof NotFoundError) return [...lost, 'list_agents and search_agents give the ids that there are.'];
  // The tag of now is not handed on: sent back unseen, it would overwrite what somebody else has written.
  if (error instanceof ConflictError)
    return [...lost, 'Read it with get_agent, and go on with what and whose etag it gives.'];
  if (error instanceof RateLimitError || error.status >= 500) return [...lost, later(error.retryAfterMs)];
  return lost;
}

function later(retryAfterMs: number | null): string {
  return retryAfterMs === null
    ? 'Trying again in a while may help.'
    : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} seconds, not sooner.`;
}

function listed(issues: readonly string[]): string[] {
  return issues.map((issue) => `- ${issue}`);
}

function reasonOf(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return '';
  return reasonOf(cause) || ((cause as { code?: string }).code ?? '');
}
