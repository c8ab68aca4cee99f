import { relative } from 'node:path';
import type { DatabaseLocation, LlmConfig } from '../config.ts';

export interface Banner {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseLocation;
  /** The language model that is connected. */
  readonly llm: LlmConfig | null;
  /** The key created on the first start. */
  readonly firstKey: {
    readonly secret: string;
    readonly workspaceId: string;
    readonly workspaceName: string;
    /** For a link that opens the dashboard signed in. */
    readonly signInCode: string | null;
  } | null;
  /** The key was set by the operator in BOOTSTRAP_API_KEY and is not printed. */
  readonly isOwnKey: boolean;
}

/** The text printed when the service has started. */
export function bannerText({ host, port, database, llm, firstKey, isOwnKey }: Banner): string {
  const address = `http://${reachableHost(host)}:${port}`;
  const lines = [
    '',
    '  Voice Agent Service is ready.',
    '',
    `  Dashboard  ${address}/`,
    `  API        ${address}/api/v1`,
    `  Reference  ${address}/docs/`,
    `  OpenAPI    ${address}/openapi.json`,
    `  Database   ${describeDatabase(database)}`,
    // A key in the shell is used automatically, so the operator has to see it.
    ...(llm === null ? [] : [`  Model      ${new URL(llm.baseUrl).host}`]),
  ];
  if (firstKey !== null) {
    const key = isOwnKey ? '$BOOTSTRAP_API_KEY' : firstKey.secret;
    lines.push(
      `  Workspace  ${firstKey.workspaceName} (${firstKey.workspaceId})`,
      isOwnKey
        ? '  API key    the value of BOOTSTRAP_API_KEY'
        : `  API key    ${key}   (shown only once: store it now)`,
      '',
      ...(firstKey.signInCode === null ? [] : signInLines(`${address}/#sign-in=${firstKey.signInCode}`)),
      '  Create your first agent:',
      '',
      `  curl -sS ${address}/api/v1/agents -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"name":"Reception","voiceId":"slt","language":"en","prompt":"You answer the phone of a hair salon."}'`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}

/** The code is in the fragment, which browsers do not send to any server. */
function signInLines(link: string): string[] {
  return ['  Open the dashboard, signed in (works once, within 10 minutes):', '', `  ${link}`, ''];
}

/** Replaces wildcard addresses, which cannot be connected to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** The location of the database, without credentials. */
export function describeDatabase(database: DatabaseLocation): string {
  if (database.engine === 'postgres') {
    const url = new URL(database.url);
    return `PostgreSQL at ${url.host}${url.pathname}`;
  }
  const short = relative(process.cwd(), database.file);
  return `SQLite in ${short.startsWith('..') ? database.file : short}`;
}
