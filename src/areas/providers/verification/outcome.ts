import { parseForeignJson } from '../../../contract/foreign-json.ts';
import type { AccountProvider, VerificationProblem } from '../../../contract/providers/credentials.ts';
import { OutboundError } from '../../../net/outbound-error.ts';
import { isOpenAi } from '../../../voice/providers/openai/account.ts';
import type { Account } from '../accounts/workspace-providers.ts';

/** What a provider answered. */
export interface ProviderAnswer {
  readonly status: number;
  /** The start of the body. */
  readonly text: string;
}

/** What is wrong, if anything, and the same as a sentence. */
export interface Outcome {
  readonly problem: VerificationProblem | null;
  /** In words of our own: those of a provider may repeat the key. */
  readonly message: string;
}

const names: Readonly<Record<AccountProvider, string>> = {
  openai: 'OpenAI',
  deepgram: 'Deepgram',
  elevenlabs: 'ElevenLabs',
  cartesia: 'Cartesia',
  embeddings: 'The provider of embeddings',
};
const maxNamedModels = 5;

/** As sentences name it: a compatible server is not OpenAI. */
function nameOf(provider: AccountProvider, account: Account | null): string {
  if (account !== null && (provider === 'openai' || provider === 'embeddings')) {
    return isOpenAi(account) ? 'OpenAI' : 'The server';
  }
  return names[provider];
}

export function notConfigured(provider: AccountProvider): Outcome {
  return {
    problem: 'not_configured',
    message: `${nameOf(provider, null)} is not configured: set a key, or the address of a server.`,
  };
}

/** What an answer says about the account. */
export function outcomeOf(provider: AccountProvider, account: Account, { status, text }: ProviderAnswer): Outcome {
  const name = nameOf(provider, account);
  const body = jsonOf(text);
  const says = (problem: VerificationProblem, message: string): Outcome => ({ problem, message });
  const wrongAddress = says(
    'wrong_address',
    `There is an answer at the address (HTTP ${status}), but not the one of this interface. Check the base URL${provider === 'openai' || provider === 'embeddings' ? ': for most servers, it ends with /v1' : ''}.`,
  );
  if (status >= 200 && status <= 299) {
    if (!isExpected(provider, body)) return wrongAddress;
    return missingModels(provider, account, body) ?? { problem: null, message: acceptedText(name, account) };
  }
  const about = codesIn(body);
  const mentions = (pattern: RegExp): boolean => about.some((code) => pattern.test(code));
  if (status === 402 || mentions(/quota|insufficient|payment|credit|billing/)) {
    return says('quota_exceeded', `${name} accepts the key, but its account has no quota or credit left.`);
  }
  if (status === 401 || (status === 400 && mentions(/api[_ -]?key|unauthor/))) {
    if (mentions(/permission/)) return says('permission_missing', permissionText(name, status));
    if (account.apiKey === null) return says('key_missing', `${name} requires a key, and none is set.`);
    return says(
      'key_rejected',
      `${name} does not accept the key (HTTP ${status}). Check that it is complete and valid.`,
    );
  }
  if (status === 403) return says('permission_missing', permissionText(name, status));
  if (status === 429) {
    return says('rate_limited', `${name} refuses requests for now because there were too many (HTTP 429). Try again.`);
  }
  if (status >= 500) {
    return says('provider_failed', `${name} failed (HTTP ${status}). This is not about the key: try again later.`);
  }
  if (provider === 'embeddings' && body !== undefined && mentions(/model/)) {
    return says('model_missing', `${name} does not have the model ${account.model}, or the key may not use it.`);
  }
  return wrongAddress;
}

/** What a request that got no answer says. */
export function failureOf(provider: AccountProvider, account: Account, error: unknown): Outcome {
  const name = nameOf(provider, account);
  const code = codeOf(error);
  if (code === 'address_not_allowed') {
    return {
      problem: 'address_not_allowed',
      message: 'The service does not connect to the base URL, because it is in a network that is not allowed.',
    };
  }
  if (/^(timeout|connect_timeout|UND_ERR_\w*TIMEOUT|ETIMEDOUT|TimeoutError)$/.test(code)) {
    return { problem: 'timeout', message: `${name} did not answer in time. Check the base URL and the network.` };
  }
  if (/tls|cert|ssl|signature/i.test(code)) {
    return {
      problem: 'tls_failed',
      message: 'No trusted encrypted connection to the base URL is possible: its certificate is not accepted.',
    };
  }
  return {
    problem: 'unreachable',
    message: `${name} cannot be reached. Check the base URL, and that this machine has network access.`,
  };
}

function acceptedText(name: string, { apiKey }: Account): string {
  return apiKey === null ? `${name} answers without a key.` : `${name} accepts the key.`;
}

function permissionText(name: string, status: number): string {
  return `${name} refuses the request (HTTP ${status}): the key lacks a permission for it, or the account is restricted.`;
}

function jsonOf(text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}

/** Any web server answers with 200, but not like this. */
function isExpected(provider: AccountProvider, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { data, models, voices } = body as Record<string, unknown>;
  switch (provider) {
    case 'openai':
      return Array.isArray(data) || Array.isArray(models);
    case 'embeddings':
      return Array.isArray(data) && data.length > 0;
    case 'elevenlabs':
      return Array.isArray(voices);
    case 'cartesia':
      return Array.isArray(data) || Array.isArray(body);
    case 'deepgram':
      return !Array.isArray(body);
  }
}

/** The models that are named in the credentials must be there, as far as the server lists its models. */
function missingModels(provider: AccountProvider, account: Account, body: unknown): Outcome | null {
  const { data } = body as { readonly data?: unknown };
  if (provider !== 'openai' || !Array.isArray(data) || data.length === 0) return null;
  const listed = new Set(data.map((model: { readonly id?: unknown } | null) => String(model?.id ?? '')));
  // Ollama lists `llama3.2:latest`, and takes `llama3.2`.
  const isListed = (name: string): boolean => listed.has(name) || listed.has(`${name}:latest`);
  const missing = [...new Set(account.modelMap.values())].filter((name) => !isListed(name));
  if (missing.length === 0) return null;
  const shown = missing.slice(0, maxNamedModels).join(', ');
  const rest = missing.length > maxNamedModels ? `, and ${missing.length - maxNamedModels} more` : '';
  const name = nameOf(provider, account);
  return {
    problem: 'model_missing',
    message: `${name} answers, but does not list these models of the model names: ${shown}${rest}.`.slice(0, 500),
  };
}

/** The codes of an error, wherever a provider puts them, and its message: they are only searched, never returned. */
function codesIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const found: string[] = [];
  const { error, detail, ...rest } = body as Record<string, unknown>;
  for (const part of [rest, error, detail]) {
    if (typeof part === 'string') found.push(part.toLowerCase());
    if (typeof part !== 'object' || part === null) continue;
    const { code, type, status, err_code, error_code, message, err_msg } = part as Record<string, unknown>;
    for (const value of [code, type, status, err_code, error_code, message, err_msg]) {
      if (typeof value === 'string') found.push(value.toLowerCase());
    }
  }
  return found;
}

function codeOf(error: unknown): string {
  if (error instanceof OutboundError) return error.code;
  const { code, name, cause } = (error ?? {}) as { code?: unknown; name?: unknown; cause?: unknown };
  if (cause instanceof OutboundError) return cause.code;
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : '';
}
