import { resolve } from 'node:path';
import { networkIssue, networkOf } from './net/networks.ts';

/** The location of the data: a local file or a PostgreSQL server. */
export type DatabaseLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string };

export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The largest count that fits into the database column. */
const maxRequests = 1_000_000_000;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** An invalid environment variable. The message is for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function parseHost(text: string): string {
  if (/[\s/]/.test(text))
    throw new ConfigError(`must be a host name or an IP address, such as 127.0.0.1, not "${text}"`);
  return text;
}

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw new ConfigError(`must be a number from 0 to 65535, not "${text}"`);
  return port;
}

export function parseDatabaseUrl(text: string): DatabaseLocation {
  if (text.startsWith('postgres://') || text.startsWith('postgresql://')) {
    if (URL.parse(text) === null) throw new ConfigError('is not a valid PostgreSQL URL');
    return { engine: 'postgres', url: text };
  }
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path === '' || path.startsWith(':') || path.includes('\0')) {
      throw new ConfigError('must name a file, such as sqlite:data/voice-agents.db');
    }
    return { engine: 'sqlite', file: resolve(path) };
  }
  // The value is not echoed: a mistyped URL may still contain a password.
  throw new ConfigError('must start with sqlite: or postgres://');
}

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text.toLowerCase());
  if (level === undefined) throw new ConfigError(`must be one of ${logLevels.join(', ')}, not "${text}"`);
  return level;
}

export function parseRateLimit(text: string): RateLimit | null {
  if (text === 'off') return null;
  const match = /^(\d{1,12})\/(\d{1,6})(s|m|h)?$/.exec(text);
  const requests = Number(match?.[1]);
  const windowSeconds = Number(match?.[2]) * ({ s: 1, m: 60, h: 3600 }[match?.[3] ?? 's'] as number);
  if (!(requests >= 1 && requests <= maxRequests) || !(windowSeconds >= 1)) {
    throw new ConfigError(`must be requests/window, such as 600/60s, or off, not "${text}"`);
  }
  return { requests, windowSeconds };
}

export function parseCallConcurrency(text: string): number {
  const calls = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (calls < 1 || calls > 100_000) throw new ConfigError(`must be a number from 1 to 100000, not "${text}"`);
  return calls;
}

export function parseReservedInbound(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new ConfigError(`must be a number from 0 to 99999, not "${text}"`);
  return Number(text);
}

export function parsePublicUrl(text: string): string | null {
  if (text === '') return null;
  const url = /^https?:\/\/[^\s/\\?#@]+(\/[^\s\\?#]*)?$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) {
    throw new ConfigError(
      'must be an http:// or https:// URL without a user name, a query or a fragment, such as https://voice.example.com',
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

export function parseDuration(text: string): number {
  const match = /^(\d{1,6})(ms|s|m)$/.exec(text);
  const ms = Number(match?.[1]) * ({ ms: 1, s: 1000, m: 60_000 }[match?.[2] ?? 's'] as number);
  if (!(ms >= 100 && ms <= 3_600_000)) {
    throw new ConfigError(`must be a duration from 100ms to 60m, such as 30s, not "${text}"`);
  }
  return ms;
}

export function parseSize(text: string): number {
  const match = /^(\d{1,6})(MB|GB)$/i.exec(text);
  const bytes = Number(match?.[1]) * (match?.[2]?.toUpperCase() === 'GB' ? 1024 ** 3 : 1024 ** 2);
  // Anything smaller than two of the largest requests or pages would reject ordinary ones.
  if (!(bytes >= 16 * 1024 ** 2))
    throw new ConfigError(`must be a size of at least 16MB, such as 256MB, not "${text}"`);
  return bytes;
}

export function parseCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 1_000_000) throw new ConfigError(`must be a number from 1 to 1000000, not "${text}"`);
  return count;
}

export function parseWorkers(text: string): number {
  const workers = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (workers < 1 || workers > 64) throw new ConfigError(`must be a number from 1 to 64, not "${text}"`);
  return workers;
}

/** Whether the accounts of the environment are for all workspaces. */
export function parseShared(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new ConfigError(`must be on or off, not "${text}"`);
  return text === 'on';
}

export function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new ConfigError(`must be true or false, not "${text}"`);
  return text === 'true';
}

export function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 365) throw new ConfigError(`must be a number of days from 1 to 365, not "${text}"`);
  return days;
}

export function parseDrainSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= 86_400)) throw new ConfigError(`must be a number of seconds from 0 to 86400, not "${text}"`);
  return seconds;
}

export function parseNetworks(text: string): readonly string[] {
  if (text === 'none') return [];
  const networks = text.split(',').map((network) => network.trim());
  const issues = networks.map(networkIssue).filter((issue) => issue !== undefined);
  if (issues.length > 0) throw new ConfigError(issues.join('; '));
  return networks;
}

export function parseTrustedProxies(text: string): readonly string[] {
  if (text === '' || text === 'none') return [];
  return text.split(',').map((part) => {
    const network = networkOf(part.trim());
    if (network === undefined) {
      throw new ConfigError(
        `must list addresses or networks of proxies, such as 10.0.0.5 or 172.16.0.0/12, not "${part.trim()}"`,
      );
    }
    // Every client could then choose the address that its requests are counted for.
    if (network.endsWith('/0')) throw new ConfigError(`must not contain every address, not "${part.trim()}"`);
    return network;
  });
}

export function parseProxy(text: string): string | null {
  if (text === '') return null;
  const url = /^http:\/\/[^\s/\\?#@]+\/?$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) throw new ConfigError('must be http://host:port, without a user name, a password or a path');
  return url.origin;
}

export function parseProviderKey(text: string): string | null {
  if (text === '') return null;
  // The value is a secret and must never appear in a message.
  if (!/^[\x21-\x7e]{1,1000}$/.test(text)) throw new ConfigError('must be printable ASCII characters, without spaces');
  return text;
}

export function parseProviderUrl(text: string): string | null {
  if (text === '') return null;
  const url = /^https?:\/\/[^\s?#@\\]+$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) throw new ConfigError('must be http:// or https://, such as http://127.0.0.1:11434/v1');
  return url.href.replace(/\/+$/, '');
}

export function parseModelMap(text: string): ReadonlyMap<string, string> {
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.split('=').map((name) => name.trim()));
  const map = new Map(pairs.map(([from = '', to = '']) => [from, to]));
  if (map.size < pairs.length || pairs.some((names) => names.length !== 2 || names.includes(''))) {
    throw new ConfigError('must be model=other, separated by commas, such as gpt-5.4-mini=llama3.2,*=qwen3');
  }
  return map;
}

export function parseModelName(text: string): string | null {
  if (text === '') return null;
  if (!/^[\x21-\x7e]{1,200}$/.test(text)) throw new ConfigError('must be the name of a model, without spaces');
  return text;
}

/** The largest number of dimensions that vectors are stored with. */
export const maxDimensions = 1024;

export function parseDimensions(text: string): number | null {
  if (text === '') return null;
  const dimensions = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (dimensions < 8 || dimensions > maxDimensions) {
    throw new ConfigError(`must be a number from 8 to ${maxDimensions}, not "${text}"`);
  }
  return dimensions;
}

export function parseMemoryMb(text: string): number {
  const megabytes = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (megabytes < 16 || megabytes > 65_536)
    throw new ConfigError(`must be a number of megabytes from 16 to 65536, not "${text}"`);
  return megabytes;
}

export function parseDataKeys(text: string): readonly Buffer[] {
  if (text === '') return [];
  const keys = text.split(',').map((part) => parseDataKey(part.trim()));
  // The value is a secret and must never appear in a message.
  if (keys.includes(null)) {
    throw new ConfigError(
      'must be 32 bytes in base64, as from "openssl rand -base64 32", or several, separated by commas',
    );
  }
  return keys as Buffer[];
}

/** Null if the text is not 32 bytes in base64. */
export function parseDataKey(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
}

export function parseBootstrapApiKey(text: string): string | null {
  if (text === '') return null;
  // The value is a secret and must never appear in a message.
  if (text.startsWith('vat_')) throw new ConfigError('must not start with vat_, which marks access tokens');
  if (!/^[\x21-\x7e][\x20-\x7e]{18,198}[\x21-\x7e]$/.test(text)) {
    throw new ConfigError('must be 20 to 200 printable ASCII characters, without leading or trailing spaces');
  }
  return text;
}
