import { WebCallError, type WebCallErrorCode } from './errors.ts';

const constraints: MediaStreamConstraints = {
  audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
};

/** By the name of the browser's error. */
const codes: Readonly<Record<string, WebCallErrorCode>> = {
  NotAllowedError: 'microphone_denied',
  SecurityError: 'microphone_denied',
  NotFoundError: 'no_microphone',
  OverconstrainedError: 'no_microphone',
};

const messages: Readonly<Partial<Record<WebCallErrorCode, string>>> = {
  microphone_denied: 'The microphone is not allowed in this page.',
  no_microphone: 'There is no microphone.',
  microphone_failed: 'The microphone does not start. Another program may be using it.',
};

export async function openMicrophone(): Promise<MediaStream> {
  // Browsers offer it in secure contexts only.
  if (navigator.mediaDevices?.getUserMedia === undefined) {
    throw isSecureContext
      ? new WebCallError('not_supported', 'This browser has no access to a microphone.')
      : new WebCallError('insecure_context', 'The microphone works only in pages that are served over HTTPS.');
  }
  try {
    return await navigator.mediaDevices.getUserMedia(constraints);
  } catch (cause) {
    const detail = (cause as DOMException | undefined)?.name ?? null;
    const code = codes[detail ?? ''] ?? 'microphone_failed';
    throw new WebCallError(code, messages[code] as string, { detail, cause });
  }
}
