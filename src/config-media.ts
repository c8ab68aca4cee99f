import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from './config-values.ts';

/** What requests to object storage are signed with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only temporary credentials have one. */
  readonly sessionToken: string | null;
}

/** Credentials from the environment, or a profile in a file as the AWS command line writes it. */
export type CredentialsSource = Credentials | { readonly file: string; readonly profile: string };

/** A bucket, and how to reach it. */
export interface BucketConfig {
  readonly bucket: string;
  /** What keys start with: empty, or with a slash at the end. */
  readonly prefix: string;
  readonly region: string;
  /** Without a slash at the end. */
  readonly endpoint: string;
  /** The bucket is a part of the path, not of the host name. */
  readonly isPathStyle: boolean;
  /** Whether downloads go to the bucket itself. */
  readonly hasLinks: boolean;
  readonly credentials: CredentialsSource;
}

type Environment = Readonly<Record<string, string | undefined>>;

const names = [
  'MEDIA_URL',
  'MEDIA_PATH_STYLE',
  'MEDIA_DOWNLOADS',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL',
] as const;
type Name = (typeof names)[number];

/** Reads MEDIA_URL and what belongs to it, also for commands that need nothing else. Null: files are in MEDIA_DIR. */
export function readMediaBucket(environment: Environment): BucketConfig | null {
  const given = Object.fromEntries(names.map((name) => [name, environment[name] ?? '']));
  if (given.MEDIA_URL === '') return null;
  const issues: string[] = [];
  const read = <T>(names: readonly Name[], fallback: string, parse: (text: string) => T): T | undefined => {
    const name = names.find((one) => given[one] !== '') ?? (names[0] as Name);
    try {
      return parse(given[name] || fallback);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      issues.push(`${name} ${error.message}`);
      return undefined;
    }
  };
  const place = read(['MEDIA_URL'], '', parseMediaUrl);
  const region = read(['AWS_REGION', 'AWS_DEFAULT_REGION'], 'us-east-1', parseRegion) ?? '';
  const endpoint = read(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'], '', parseEndpoint) ?? null;
  // Certificates of AWS cover one level of names; other servers rarely have names for buckets.
  const isPathStyle = read(['MEDIA_PATH_STYLE'], '', (text) =>
    text === ''
      ? endpoint !== null || (place?.bucket.includes('.') ?? false)
      : parseChoice(text, ['true', 'false']) === 'true',
  );
  const hasLinks = read(['MEDIA_DOWNLOADS'], 'stream', (text) => parseChoice(text, ['stream', 'link']) === 'link');
  const credentials = readCredentials(given, issues);
  if (issues.length > 0) throw new ConfigError(issues.join('\n'));
  return {
    bucket: place?.bucket ?? '',
    prefix: place?.prefix ?? '',
    region,
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    isPathStyle: isPathStyle ?? true,
    hasLinks: hasLinks ?? false,
    credentials: credentials as CredentialsSource,
  };
}

function parseMediaUrl(text: string): { bucket: string; prefix: string } {
  const match = /^s3:\/\/([^/]*)(?:\/(.*))?$/.exec(text);
  // The value is not echoed: it may contain a password.
  if (match === null) throw new ConfigError('must be s3://bucket or s3://bucket/prefix');
  const [, bucket = '', rest = ''] = match;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new ConfigError('must name a bucket: 3 to 63 lower-case letters, digits, dots and hyphens');
  }
  const prefix = rest.replace(/\/$/, '');
  if (prefix !== '' && !/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(prefix)) {
    throw new ConfigError('must have a prefix of letters, digits, dots, hyphens and underscores, in folders');
  }
  if (prefix.length > 500) throw new ConfigError('must have a prefix of at most 500 characters');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

function parseRegion(text: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new ConfigError('must be the name of a region, such as eu-central-1');
  return text;
}

function parseEndpoint(text: string): string | null {
  if (text === '') return null;
  const url = /^https?:\/\/[^\s/\\?#@]+(\/[^\s\\?#]*)?$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) throw new ConfigError('must be http:// or https://, such as http://127.0.0.1:9000');
  return url.href.replace(/\/+$/, '');
}

function parseChoice(text: string, choices: readonly string[]): string {
  if (!choices.includes(text)) throw new ConfigError(`must be ${choices.join(' or ')}, not "${text}"`);
  return text;
}

/** Credentials in the environment come first, as in the tools of AWS. */
function readCredentials(given: Environment, issues: string[]): CredentialsSource | null {
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = given;
  const { AWS_SESSION_TOKEN: sessionToken = '', AWS_SHARED_CREDENTIALS_FILE: file = '' } = given;
  const { AWS_PROFILE: profile = '' } = given;
  // The values are secrets and must never appear in a message.
  const isPrintable = [accessKeyId, secretAccessKey, sessionToken].every((value) => /^[\x21-\x7e]*$/.test(value));
  if (!isPrintable) {
    issues.push('AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN must be printable ASCII characters');
    return null;
  }
  if (accessKeyId !== '' && secretAccessKey !== '') {
    return { accessKeyId, secretAccessKey, sessionToken: sessionToken === '' ? null : sessionToken };
  }
  if (accessKeyId !== '' || secretAccessKey !== '') {
    const missing = accessKeyId === '' ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
    issues.push(`${missing} is missing, which MEDIA_URL requires`);
    return null;
  }
  if (file !== '' || profile !== '') {
    return { file: resolve(file || join(homedir(), '.aws', 'credentials')), profile: profile || 'default' };
  }
  issues.push(
    'MEDIA_URL requires credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a file in AWS_SHARED_CREDENTIALS_FILE',
  );
  return null;
}
