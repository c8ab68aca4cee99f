import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isObject } from '../../contract/json-object.ts';
import type { CommandContext } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { listOf } from '../resources/ids.ts';
import { withDialog } from '../terminal/dialog.ts';

interface LimitOptions {
  readonly allowedCountries?: string;
  readonly maxMinutesPerDay?: number;
  readonly maxCallsPerSecond?: number;
  readonly maxConcurrent?: string;
}

interface NewCarrierOptions extends LimitOptions {
  readonly provider: 'twilio' | 'test';
  readonly name?: string;
  readonly accountSid?: string;
  readonly apiKeySid?: string;
  readonly credentials?: string;
}

interface CarrierChangeOptions extends LimitOptions {
  readonly name?: string;
  readonly accountSid?: string;
  readonly authToken?: true;
  readonly credentials?: string;
}

const names = { twilio: 'Twilio', test: 'Test carrier' } as const;

/** The body of carriers.create. */
export async function newCarrier(options: NewCarrierOptions, context: CommandContext): Promise<object> {
  const { provider, name = names[provider], accountSid, apiKeySid, credentials: file } = options;
  const limits = limitsOf(options) ?? {};
  if (provider === 'test') {
    if (accountSid !== undefined || apiKeySid !== undefined || file !== undefined) {
      throw invalidUsage('a carrier of the provider test has no account and no credentials');
    }
    return { name, provider, limits };
  }
  if (accountSid === undefined) throw invalidUsage('a carrier of the provider twilio needs --account-sid');
  const credentials = file === undefined ? await askedCredentials(apiKeySid, context) : await readCredentials(file);
  return { name, provider, settings: { accountSid }, credentials, limits };
}

/** The body of carriers.update. */
export async function carrierChanges(options: CarrierChangeOptions, context: CommandContext): Promise<object> {
  const { name, accountSid, authToken, credentials: file } = options;
  const limits = limitsOf(options);
  if (authToken && file !== undefined) throw invalidUsage('use either --auth-token or --credentials');
  if ([name, accountSid, authToken, file, limits].every((value) => value === undefined)) {
    throw invalidUsage('nothing to update: see "carriers update --help"');
  }
  return {
    name,
    ...(accountSid !== undefined && { settings: { accountSid } }),
    ...(authToken && { credentials: await askedCredentials(undefined, context) }),
    ...(file !== undefined && { credentials: await readCredentials(file) }),
    ...(limits !== undefined && { limits }),
  };
}

function limitsOf(options: LimitOptions): object | undefined {
  const { allowedCountries, maxMinutesPerDay, maxCallsPerSecond, maxConcurrent } = options;
  if ([allowedCountries, maxMinutesPerDay, maxCallsPerSecond, maxConcurrent].every((value) => value === undefined)) {
    return undefined;
  }
  return {
    allowedCountries: allowedCountries === 'numbers' ? null : listOf(allowedCountries),
    maxMinutesPerDay,
    maxCallsPerSecond,
    ...(maxConcurrent !== undefined && { maxConcurrent: maxConcurrent === 'none' ? null : Number(maxConcurrent) }),
  };
}

/** From a prompt, or from the lines of standard input. */
async function askedCredentials(apiKeySid: string | undefined, context: CommandContext): Promise<object> {
  const [authToken = '', apiKeySecret = ''] = context.stdin.isTTY
    ? await withDialog(context, async ({ askSecret }) => [
        await askSecret('Auth token of the account (hidden): '),
        ...(apiKeySid === undefined ? [] : [await askSecret('Secret of the API key (hidden): ')]),
      ])
    : (await text(context.stdin)).split('\n').map((line) => line.trim());
  if (authToken === '') throw invalidUsage('no auth token given');
  if (apiKeySid === undefined) return { authToken };
  if (apiKeySecret === '') throw invalidUsage('no secret of the API key given');
  return { authToken, apiKeySid, apiKeySecret };
}

/** Its content is not part of a message, because it is secret. */
async function readCredentials(file: string): Promise<object> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    throw invalidUsage(`${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    const value: unknown = JSON.parse(content);
    if (isObject(value)) return value;
  } catch {
    // As if it were another value.
  }
  throw invalidUsage(`${file} must contain a JSON object with authToken`);
}
