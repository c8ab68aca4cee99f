export { ApiPromise, type ApiResponse, type WithResponse } from './api-promise.ts';
export { VoiceAgents, type VoiceAgentsOptions } from './client.ts';
export {
  ApiError,
  AuthenticationError,
  BadGatewayError,
  ConcurrencyLimitError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  type FieldErrors,
  InternalServerError,
  NotFoundError,
  PermissionError,
  ProviderNotConfiguredError,
  RateLimitError,
  ServiceUnavailableError,
  StateConflictError,
  TimeoutError,
  UnprocessableError,
  ValidationError,
  VoiceAgentsError,
} from './errors.ts';
export type { MergePatch } from './merge-patch.ts';
export type { CallMessageEvent, MessageStream } from './message-stream.ts';
export type * from './namespaces.ts';
export { Page, PagePromise } from './page.ts';
export type { ConditionalOptions, RepeatableOptions, RequestOptions } from './request.ts';
export type { AgentStates } from './resources/agent-states.ts';
export type { AgentTools } from './resources/agent-tools.ts';
export type { AgentVersion, AgentVersions } from './resources/agent-versions.ts';
export type { AgentCheckVersion, AgentDiffRange, Agents } from './resources/agents.ts';
export type { ApiKeys } from './resources/api-keys.ts';
export type { CallAnalyses } from './resources/call-analyses.ts';
export type { CallEvents, CallEventTypes, FollowOptions, TypedCallEvent } from './resources/call-events.ts';
export type { CallMessages } from './resources/call-messages.ts';
export type { CallFilter, CallQuery, CallSearch, Calls } from './resources/calls.ts';
export type { DocumentChunks, Documents, UploadOptions } from './resources/documents.ts';
export {
  EventFollower,
  type EventQuery,
  type Events,
  type FollowEventsOptions,
  type TypedEvent,
  type WebhookEvent,
} from './resources/events.ts';
export type { PhoneNumbers } from './resources/phone-numbers.ts';
export type { Voices } from './resources/voices.ts';
export type { DeliveryQuery, WebhookDeliveries } from './resources/webhook-deliveries.ts';
export type { WebhookSecrets } from './resources/webhook-secrets.ts';
export type { Webhooks } from './resources/webhooks.ts';
export type { WorkflowRuns } from './resources/workflow-runs.ts';
export type { WorkflowStep, WorkflowStepInput, Workflows, WorkflowVersions } from './resources/workflows.ts';
export type * from './schema.ts';
export type { UploadProgress } from './upload.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.ts';
export { version } from './version.ts';
