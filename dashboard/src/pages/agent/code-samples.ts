/** The request that the code sends. With `ifMatch`, only if nothing has changed since. */
export type SampleRequest =
  | { readonly kind: 'create'; readonly body: object }
  | { readonly kind: 'update'; readonly id: string; readonly body: object; readonly ifMatch?: string }
  | { readonly kind: 'get'; readonly id: string }
  | { readonly kind: 'publish'; readonly id: string };

export type CodeLanguage = 'curl' | 'typescript' | 'cli';

/** The key is never included: the code reads it from VOICE_AGENTS_API_KEY. */
export function codeSample(language: CodeLanguage, request: SampleRequest, baseUrl: string): string {
  return { curl, typescript, cli }[language](request, baseUrl);
}

function curl(request: SampleRequest, baseUrl: string): string {
  const method = { create: 'POST', update: 'PATCH', get: 'GET', publish: 'POST' }[request.kind];
  const place =
    request.kind === 'create'
      ? ''
      : `/${encodeURIComponent(request.id)}${request.kind === 'publish' ? '/publish' : ''}`;
  const lines = [
    `curl --fail-with-body -X ${method} ${shellWord(`${baseUrl}/api/v1/agents${place}`)}`,
    '-H "Authorization: Bearer $VOICE_AGENTS_API_KEY"',
  ];
  if ('ifMatch' in request) lines.push(`-H ${shellWord(`If-Match: ${request.ifMatch}`)}`);
  if (!('body' in request)) return `${lines.join(' \\\n  ')}\n`;
  const type = request.kind === 'update' ? 'application/merge-patch+json' : 'application/json';
  lines.push(`-H 'Content-Type: ${type}'`, `--data-binary @- ${document(request.body)}`);
  return `${lines.join(' \\\n  ')}\n`;
}

function cli(request: SampleRequest, baseUrl: string): string {
  const begin = (what: string) => `voice-agents agents ${what} --base-url ${shellWord(baseUrl)}`;
  if (request.kind === 'get' || request.kind === 'publish')
    return `${begin(`${request.kind} ${shellWord(request.id)}`)}\n`;
  const command = request.kind === 'create' ? begin('create') : begin(`update ${shellWord(request.id)}`);
  const condition = 'ifMatch' in request ? ` --if-match ${shellWord(request.ifMatch as string)}` : '';
  const options = fieldOptions(request.body);
  if (options !== null) return `${[`${command}${condition}`, ...options].join(' \\\n  ')}\n`;
  return `${command}${condition} --file - ${document(request.body)}\n`;
}

function typescript(request: SampleRequest, baseUrl: string): string {
  const head = `// npm install ${baseUrl}/sdk.tgz
import { VoiceAgents } from 'voice-agent-sdk';

// Reads the API key from VOICE_AGENTS_API_KEY.
const client = new VoiceAgents({ baseUrl: ${textLiteral(baseUrl)} });
`;
  const id = request.kind === 'create' ? '' : textLiteral(request.id);
  const options = 'ifMatch' in request ? `, { ifMatch: ${textLiteral(request.ifMatch as string)} }` : '';
  const call = {
    create: () => `create(${'body' in request ? literal(request.body) : ''})`,
    update: () => `update(${id}, ${'body' in request ? literal(request.body) : ''}${options})`,
    get: () => `get(${id})`,
    publish: () => `publish(${id})`,
  }[request.kind]();
  return `${head}
const agent = await client.agents.${call};
console.log(agent.id, agent.version);
`;
}

/** Safe inside a heredoc: JSON escapes line breaks, so no line can terminate it early. */
function document(body: object): string {
  return `<<'JSON'\n${JSON.stringify(body, null, 2)}\nJSON`;
}

export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const maxOptions = 4;

/** As `--set` and `--unset` options if that is short and readable; null if a document is better. */
function fieldOptions(body: object): string[] | null {
  const options: string[] = [];
  for (const [name, value] of leaves(body)) {
    if (typeof value === 'object' && value !== null) return null;
    if (typeof value === 'string' && (value.length > 80 || value.includes('\n'))) return null;
    options.push(value === null ? `--unset ${name}` : `--set ${shellWord(`${name}=${setValue(value)}`)}`);
  }
  return options.length > maxOptions ? null : options;
}

/** Only the engine is flattened; deeper objects may have names that contain a dot. */
function leaves(body: object): [string, unknown][] {
  return Object.entries(body).flatMap(([name, value]): [string, unknown][] =>
    name === 'responseEngine' && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([part, inner]) => [`${name}.${part}`, inner])
      : [[name, value]],
  );
}

/** Text that would be parsed as JSON is quoted as JSON: the text "1" is not the number 1. */
function setValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}

function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${nameLiteral(name)}: ${literal(item, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const line = parts.join(', ');
  if (Array.isArray(value) && line.length < 60 && !line.includes('\n')) return `[${line}]`;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

/** As a plain property name, `__proto__` would set the prototype. */
function nameLiteral(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name);
}

function textLiteral(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replace(/\\.|'/g, (part) => (part === '\\"' ? '"' : part === "'" ? "\\'" : part));
  return `'${escaped}'`;
}
