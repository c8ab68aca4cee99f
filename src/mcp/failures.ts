import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  StateConflictError,
  UnprocessableError,
  ValidationError,
  VoiceAgentsError,
} from '../../sdk/src/index.ts';
import { ArgumentError, type Tool } from './tool.ts';

/** The context of a failed call. */
export interface Failed {
  readonly tool: Tool;
  readonly baseUrl: string;
  readonly isOverdue: boolean;
  readonly deadlineMs: number;
}

/** The error message for the model: what failed, where, and what to do. Null for a bug in this server. */
export function describeFailure(error: unknown, failed: Failed): string | null {
  const lines = linesOf(error, failed);
  // No error of the service or the SDK contains a key. This is a safety net.
  return lines === null ? null : withoutKeys(lines.join('\n'));
}

export function withoutKeys(text: string): string {
  return text.replaceAll(/(vak|vat)_[\w.-]+/g, '$1_…');
}

function linesOf(error: unknown, { tool, baseUrl, isOverdue, deadlineMs }: Failed): string[] | null {
  const doubt = tool.isWrite ? ['It may or may not have been processed: check before you repeat it.'] : [];
  if (error instanceof ArgumentError) return [error.message, ...listed(error.issues)];
  if (error instanceof ApiError) return [summaryOf(error), ...fieldIssues(error), ...adviceFor(error, tool)];
  if (isOverdue) {
    return [
      `The service at ${baseUrl} did not complete the request within ${deadlineMs / 1000} seconds.`,
      ...doubt,
      later(null),
    ];
  }
  if (error instanceof ConnectionError) {
    const reason = reasonOf(error);
    return [
      `The service at ${baseUrl} cannot be reached: ${error.message}${reason === '' ? '' : ` (${reason})`}`,
      ...doubt,
      'Is it running? Once it is, the same call will work: this MCP server does not need a restart.',
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
    ? [
        'The response to an earlier attempt was lost, so the request may already have been processed. Check before you repeat it.',
      ]
    : [];
  if (error instanceof AuthenticationError) {
    return [
      'The API key of this MCP server is invalid, revoked or expired. Retrying does not help: the user has to configure another key and restart the server.',
    ];
  }
  if (error instanceof PermissionError)
    return [`The API key does not have the scope ${error.requiredScope ?? tool.scope}.`];
  if (error instanceof NotFoundError) return [...lost, missingAdvice(tool)];
  if (error instanceof StateConflictError) return [...lost, stateAdvice(error)];
  // The current tag is not revealed: a model that resends it without reading would overwrite someone else's change.
  if (error instanceof ConflictError)
    return [...lost, 'Read the agent again with get_agent, reapply the change to it, and use its etag.'];
  if (error instanceof RateLimitError || error.status >= 500) return [...lost, later(error.retryAfterMs)];
  return lost;
}

function missingAdvice({ operation }: Tool): string {
  return operation.id.startsWith('calls.')
    ? 'Use the `callId` that start_chat returned. The transcript of a call may also not be stored, or be deleted.'
    : 'Use list_agents or search_agents to find valid ids.';
}

function stateAdvice({ state, allowed, reason }: StateConflictError): string {
  if (reason === 'reply_in_progress') return 'The agent is still replying: wait a second, then try again.';
  return `The call is ${state ?? 'in another state'}; this is possible only while it is ${allowed.join(' or ')}.`;
}

function later(retryAfterMs: number | null): string {
  return retryAfterMs === null
    ? 'Try again later.'
    : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} seconds, not earlier.`;
}

function listed(issues: readonly string[]): string[] {
  return issues.map((issue) => `- ${issue}`);
}

function reasonOf(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return '';
  return reasonOf(cause) || ((cause as { code?: string }).code ?? '');
}
