export type { TypedCallEvent } from '../resources/call-events.ts';
export type { Access } from './connection.ts';
export { WebCallError, type WebCallErrorCode } from './errors.ts';
export type { AudioRate, Capabilities, Floor, ToolCall, Transcript } from './frames.ts';
export type { JoinAccess, JoinOptions, WebCallEvents } from './join-options.ts';
export type { PageTool, ToolOutcome } from './page-tools.ts';
export { hasBrowserRecognition } from './recognition.ts';
export { joinCall, type WebCall } from './web-call.ts';
export type { PlaybackState } from './worklet-messages.ts';
