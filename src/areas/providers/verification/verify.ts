import type { AccountProvider } from '../../../contract/providers/credentials.ts';
import { readFirstBytes } from '../../../core/first-bytes.ts';
import type { Account } from '../accounts/workspace-providers.ts';
import { failureOf, type Outcome, outcomeOf, type ProviderAnswer } from './outcome.ts';
import { verificationRequest } from './requests.ts';

export interface Verification extends Outcome {
  /** Null: there was no answer. */
  readonly statusCode: number | null;
}

const requestMs = 10_000;
/** The models of an aggregator are a megabyte. */
const maxBytes = 4 * 1024 * 1024;

/** Asks the provider about the account, over a connection of its own. Fails with the reason of the signal. */
export async function verify(provider: AccountProvider, account: Account, signal: AbortSignal): Promise<Verification> {
  const timeout = AbortSignal.timeout(requestMs);
  try {
    const answer = await send(provider, account, AbortSignal.any([signal, timeout]));
    return { ...outcomeOf(provider, account, answer), statusCode: answer.status };
  } catch (error) {
    signal.throwIfAborted();
    return { ...failureOf(provider, account, timeout.aborted ? timeout.reason : error), statusCode: null };
  }
}

async function send(provider: AccountProvider, account: Account, signal: AbortSignal): Promise<ProviderAnswer> {
  const { request } = await import('undici');
  const { createDispatcher } = await import('../../../voice/providers/connection/provider-http.ts');
  const { url, method, headers, body: sent } = verificationRequest(provider, account);
  const dispatcher = createDispatcher(account);
  try {
    // Redirects are not followed.
    const { statusCode, body } = await request(url, { method, headers, body: sent, dispatcher, signal });
    return { status: statusCode, text: String(await readFirstBytes(body, maxBytes)) };
  } finally {
    await dispatcher.destroy();
  }
}
