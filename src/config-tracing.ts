import { ConfigError } from './config-values.ts';

/** Where traces of calls go, and which. */
export interface TracingConfig {
  /** With the path of the signal. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
  /** The share of calls that are traced, from 0 to 1. */
  readonly sampleRatio: number;
  /** Whether spans contain what was said. */
  readonly hasContent: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Read = <T>(name: string, fallback: string, parse: (text: string) => T) => T | undefined;

const names = {
  endpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  headers: 'OTEL_EXPORTER_OTLP_HEADERS',
  timeout: 'OTEL_EXPORTER_OTLP_TIMEOUT',
  service: 'OTEL_SERVICE_NAME',
  resource: 'OTEL_RESOURCE_ATTRIBUTES',
  sampler: 'OTEL_TRACES_SAMPLER',
  samplerArgument: 'OTEL_TRACES_SAMPLER_ARG',
  disabled: 'OTEL_SDK_DISABLED',
  content: 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT',
} as const;

const known: ReadonlySet<string> = new Set(Object.values(names));

/** Null: nothing is traced. Values are read in any case, so that a mistake shows before tracing is turned on. */
export function readTracing(read: Read): TracingConfig | null {
  const url = read(names.endpoint, '', parseEndpoint) ?? null;
  const headers = read(names.headers, '', parseHeaders) ?? {};
  const timeoutMs = read(names.timeout, '10000', parseTimeout) ?? 0;
  const service = read(names.service, '', (text) => text) ?? '';
  const attributes = read(names.resource, '', parsePairs) ?? {};
  const sampler = read(names.sampler, 'parentbased_always_on', parseSampler) ?? 'always_on';
  const argument = read(names.samplerArgument, '1', parseRatio) ?? 1;
  const isDisabled = read(names.disabled, 'false', parseLenientBoolean) ?? false;
  const hasContent = read(names.content, 'false', parseContent) ?? false;
  if (url === null || isDisabled) return null;
  const serviceName = service || attributes['service.name'] || 'voice-agents';
  const sampleRatio = { always_on: 1, always_off: 0, traceidratio: argument }[sampler];
  return { url, headers, timeoutMs, resource: { ...attributes, 'service.name': serviceName }, sampleRatio, hasContent };
}

/** Variables of OpenTelemetry that are set and have no effect here. */
export function unusedTracingVariables(environment: Environment): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('OTEL_') && environment[name] && !known.has(name))
    .sort();
}

function parseEndpoint(text: string): string | null {
  if (text === '') return null;
  const url = /^https?:\/\/[^\s/\\?#@]+(\/[^\s\\?#]*)?$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) {
    throw new ConfigError(
      'must be an http:// or https:// URL without a user name, a query or a fragment, such as http://127.0.0.1:4318',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/v1/traces`;
}

/** Values are not echoed: most of them are credentials. */
function parseHeaders(text: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(parsePairs(text))) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new ConfigError('must have names and values that can be headers');
    }
    const lower = name.toLowerCase();
    if (['host', 'content-length', 'content-type', 'transfer-encoding', 'connection'].includes(lower)) {
      throw new ConfigError(`must not contain ${lower}, which the service sets itself`);
    }
    headers[lower] = value;
  }
  return headers;
}

/** `name=value,name=value`, percent-encoded like W3C Baggage. */
function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(part) ?? [];
    if (name === '') throw new ConfigError('must be pairs of name=value, separated by commas');
    try {
      pairs[decodeURIComponent(name)] = decodeURIComponent(value.trim());
    } catch {
      throw new ConfigError('must be percent-encoded: a % has to be written as %25');
    }
  }
  return pairs;
}

function parseTimeout(text: string): number {
  const ms = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (ms < 1 || ms > 300_000) throw new ConfigError(`must be milliseconds from 1 to 300000, not "${text}"`);
  return ms;
}

/** Calls have no parent, so that a sampler that asks one is the one for those without. */
function parseSampler(text: string): 'always_on' | 'always_off' | 'traceidratio' {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^parentbased_/, '');
  if (name === 'always_on' || name === 'always_off' || name === 'traceidratio') return name;
  throw new ConfigError(
    `must be always_on, always_off or traceidratio, alone or after parentbased_, not "${text.slice(0, 100)}"`,
  );
}

function parseRatio(text: string): number {
  const ratio = /^(\d+(\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(ratio >= 0 && ratio <= 1)) throw new ConfigError(`must be a number from 0 to 1, not "${text.slice(0, 100)}"`);
  return ratio;
}

function parseLenientBoolean(text: string): boolean {
  const lower = text.trim().toLowerCase();
  if (lower !== 'true' && lower !== 'false')
    throw new ConfigError(`must be true or false, not "${text.slice(0, 100)}"`);
  return lower === 'true';
}

function parseContent(text: string): boolean {
  const value = text.trim().toUpperCase();
  if (value === 'TRUE' || value === 'SPAN_ONLY') return true;
  if (value === 'FALSE' || value === 'NO_CONTENT') return false;
  throw new ConfigError(`must be SPAN_ONLY, NO_CONTENT, true or false, not "${text.slice(0, 100)}"`);
}
