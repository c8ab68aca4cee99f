import { VoiceAgentsError } from '../errors.ts';

/** Why a call in a page does not work. */
export type WebCallErrorCode =
  /** The user, or the policy of the page, does not allow the microphone. */
  | 'microphone_denied'
  /** There is no microphone. */
  | 'no_microphone'
  /** The microphone does not start: another program uses it, for example. */
  | 'microphone_failed'
  /** The microphone was unplugged, or its permission withdrawn, during the call. The call goes on. */
  | 'microphone_lost'
  /** The page is not served over HTTPS, so the browser offers no microphone. */
  | 'insecure_context'
  /** The browser lacks something that a spoken call needs. */
  | 'not_supported'
  /** The policy of the page does not allow the audio worklet: see `workletUrl`. */
  | 'worklet_blocked'
  /** The browser plays no sound until the user clicks somewhere. The call goes on, and is heard after that. */
  | 'audio_suspended'
  /** The service did not accept the connection: see `status`. */
  | 'connection_refused'
  /** The connection was lost and could not be resumed: for 30 seconds, or because of `status`. */
  | 'connection_lost'
  /** Another page has joined the same call with a newer token. */
  | 'joined_elsewhere'
  /** The service closed the connection because of what this page sent. */
  | 'protocol_error'
  /** The service reports an error, such as a message during a reply: see `detail`. */
  | 'service_error'
  /** The browser has no speech recognition. */
  | 'recognition_not_supported'
  /** The browser's speech recognition is not allowed, or not available for the language. */
  | 'recognition_failed'
  /** The service has no speech for the agent's language: the caller types, or reads. The call goes on. */
  | 'speech_unavailable'
  /** The server of the page did not return the `liveUrl` and `token` of a call: see `status`. */
  | 'access_failed'
  /** The service has ended the call because something failed: `detail` is the call's `endReason`. */
  | 'call_failed'
  /** Anything else: see `cause`. */
  | 'unexpected_error';

export interface WebCallErrorDetails {
  /** The HTTP status of a refused connection, if it is known. */
  readonly status?: number | null;
  /** A more precise code: that of the service, or the name of the browser's error. */
  readonly detail?: string | null;
  readonly cause?: unknown;
}

/** A failure in a call that is spoken or typed in a page. */
export class WebCallError extends VoiceAgentsError {
  override readonly name = 'WebCallError';
  readonly code: WebCallErrorCode;
  readonly status: number | null;
  readonly detail: string | null;

  constructor(code: WebCallErrorCode, message: string, { status, detail, cause }: WebCallErrorDetails = {}) {
    super(message, { cause });
    this.code = code;
    this.status = status ?? null;
    this.detail = detail ?? null;
  }
}
