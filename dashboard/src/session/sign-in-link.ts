const fragment = '#sign-in=';

/**
 * The code of the one-time link that the service prints at its first start; null if the page was opened in another way.
 * Removes it from the URL, so that it is in no history entry and cannot be shared by accident.
 */
export function takeSignInCode(): string | null {
  if (!location.hash.startsWith(fragment)) return null;
  const code = location.hash.slice(fragment.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

/** `refused`: the link is wrong, used or expired. `failed`: the service could not be asked; the link still works. */
export type Exchange = { readonly key: string } | 'refused' | 'failed';

/** Exchanges the code for an API key, which works once. It is not part of the SDK, because it needs no key. */
export async function exchangeCode(code: string): Promise<Exchange> {
  try {
    const response = await fetch('/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (response.ok) return { key: ((await response.json()) as { key: string }).key };
    return response.status === 400 || response.status === 401 ? 'refused' : 'failed';
  } catch {
    return 'failed';
  }
}
