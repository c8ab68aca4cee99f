import type { ExtractionErrorCode, FailedExtraction } from './extraction.ts';

/** A document that cannot be read. The message is shown to users. */
export class ExtractionError extends Error {
  readonly code: ExtractionErrorCode;

  constructor(code: ExtractionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function failure(code: ExtractionErrorCode, message: string): FailedExtraction {
  return { ok: false, code, message, retryable: code === 'timeout' || code === 'internal' };
}
