import { text } from 'node:stream/consumers';
import { ConfigError } from '../../config.ts';
import { parseModelMap } from '../../config-values.ts';
import type { CommandContext } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { withDialog } from '../terminal/dialog.ts';

interface CredentialsOptions {
  readonly keyEnv?: string;
  readonly keepKey?: boolean;
  /** False: `--no-key`. */
  readonly key?: boolean;
  readonly address?: string;
  readonly models?: string;
  readonly model?: string;
}

/** The body of providers.credentials.put. */
export async function credentialsBody(options: CredentialsOptions, context: CommandContext): Promise<object> {
  const { address, models, model } = options;
  const body = {
    ...(address !== undefined && { baseUrl: address }),
    ...(models !== undefined && { models: modelsOf(models) }),
    ...(model !== undefined && { model }),
  };
  return { ...(await keyOf(options, context)), ...body };
}

async function keyOf(
  { keyEnv, keepKey = false, key: isWanted = true }: CredentialsOptions,
  { environment, stdin, ...context }: CommandContext,
): Promise<{ readonly apiKey?: string | null }> {
  if ([keyEnv !== undefined, keepKey, !isWanted].filter(Boolean).length > 1) {
    throw invalidUsage('use only one of --key-env, --keep-key and --no-key');
  }
  if (keepKey) return {};
  if (!isWanted) return { apiKey: null };
  const apiKey =
    keyEnv !== undefined
      ? (environment[keyEnv] ?? '')
      : stdin.isTTY
        ? await withDialog({ ...context, stdin }, ({ askSecret }) => askSecret('Key (hidden): '))
        : (await text(stdin)).trim();
  if (apiKey === '') throw invalidUsage(keyEnv === undefined ? 'no key given' : `${keyEnv} is not set`);
  return { apiKey };
}

function modelsOf(given: string): Record<string, string> {
  try {
    return Object.fromEntries(parseModelMap(given));
  } catch (error) {
    if (error instanceof ConfigError) throw invalidUsage(`--models ${error.message}`);
    throw error;
  }
}
