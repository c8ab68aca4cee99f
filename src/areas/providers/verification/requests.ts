import type { AccountProvider } from '../../../contract/providers/credentials.ts';
import { apiVersion } from '../../../voice/providers/cartesia/messages.ts';
import { headersOf } from '../../../voice/providers/openai/account.ts';
import type { Account } from '../accounts/workspace-providers.ts';

/** The cheapest request that a provider answers differently without a valid key. */
export interface VerificationRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function verificationRequest(provider: AccountProvider, account: Account): VerificationRequest {
  const { apiKey, baseUrl, model } = account;
  const get = (path: string, headers: Record<string, string>): VerificationRequest => ({
    method: 'GET',
    url: `${baseUrl}${path}`,
    headers: { accept: 'application/json', ...headers },
    body: null,
  });
  switch (provider) {
    // https://platform.openai.com/docs/api-reference/models/list: costs nothing.
    case 'openai':
      return get('/models', headersOf(account));
    // https://developers.deepgram.com/reference/auth/tokens/details: says which key it is.
    case 'deepgram':
      return get('/v1/auth/token', apiKey === null ? {} : { authorization: `Token ${apiKey}` });
    // https://elevenlabs.io/docs/api-reference/voices/search
    case 'elevenlabs':
      return get('/v2/voices?page_size=1&include_total_count=false', apiKey === null ? {} : { 'xi-api-key': apiKey });
    // https://docs.cartesia.ai/api-reference/voices/list
    case 'cartesia':
      return get('/voices?limit=1', {
        'cartesia-version': apiVersion,
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      });
    // https://platform.openai.com/docs/api-reference/embeddings/create: a token.
    case 'embeddings':
      return {
        method: 'POST',
        url: `${baseUrl}/embeddings`,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headersOf(account) },
        body: JSON.stringify({ model, input: ['ok'] }),
      };
  }
}
