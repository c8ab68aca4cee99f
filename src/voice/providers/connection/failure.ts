/** What failed, in words of our own: a vendor's may repeat the key, or what was said in the call. */
export interface ProviderFailure {
  /** Such as `HTTP 429 of deepgram`. */
  readonly detail: string;
  /** Trying again will not help in this call. */
  readonly isFinal: boolean;
}

/** A caller does not wait longer than this for another attempt. */
const maxRetryAfterMs = 5000;

export function statusFailure(
  provider: string,
  status: number,
  retryAfter: string | null | undefined,
): ProviderFailure {
  const isRejected = status < 500 && ![408, 425, 429].includes(status);
  return { detail: `HTTP ${status} of ${provider}`, isFinal: isRejected || isLong(retryAfter) };
}

/** In seconds; the form with a date is left out, because a wait that short is never given as one. */
function isLong(retryAfter: string | null | undefined): boolean {
  const text = retryAfter?.trim() ?? '';
  if (text === '') return false;
  return !/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) * 1000 > maxRetryAfterMs;
}
