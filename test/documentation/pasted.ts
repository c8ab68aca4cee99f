import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithTests } from '../support/children.ts';
import { freePort } from '../support/free-port.ts';

export const root = join(import.meta.dirname, '..', '..');

/** A fenced code block. */
export interface Block {
  readonly language: string;
  readonly line: number;
  readonly code: string;
}

export interface Output {
  readonly block: Block;
  readonly text: string;
}

/** Exceptions for blocks that cannot be pasted unchanged. */
export interface Replacement {
  readonly from: RegExp;
  /** Null: the command is skipped. The reason is given where this is used. */
  readonly to: string | null;
}

export function blocksOf(document: string): Block[] {
  const text = readFileSync(join(root, document), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    line: text.slice(0, match.index).split('\n').length,
    code: match[2] ?? '',
  }));
}

const marker = '@@ block ';

/**
 * Pastes the `sh` blocks of a document into one shell, in order, in a copy of the project without any data. A failing
 * command ends it. A command that starts the service runs in the background, and the shell waits until it responds.
 */
export async function paste(
  document: string,
  blocks: readonly Block[],
  { replacements, settings }: { replacements: readonly Replacement[]; settings: Record<string, string> },
): Promise<Output[]> {
  const folder = createFolder();
  const port = settings.PORT ?? String(await freePort());
  const pasted = blocks.filter(({ language }) => language === 'sh');
  const script = [
    prelude,
    ...pasted.map((block, place) => `echo '${marker}${place}'\n${prepare(block.code, replacements, port)}`),
    `echo '${marker}end'`,
  ].join('\n');
  writeFileSync(join(folder, 'pasted.sh'), script);
  try {
    const VOICE_AGENTS_BASE_URL = `http://127.0.0.1:${port}`;
    const environment = {
      VOICE_AGENTS_BASE_URL,
      ...settings,
      PORT: port,
      OTHER_PORT: String(await freePort()),
      HOME: folder,
    };
    const { code, stdout, stderr } = await runShell(folder, environment);
    const texts = stdout.split(new RegExp(`^${marker}(?:\\d+|end)\\n`, 'm')).slice(1);
    if (code !== 0) {
      const failed = pasted[texts.length - 1];
      throw new Error(`${document}:${failed?.line ?? '?'} ended with ${code}\n${failed?.code}\n${stderr.slice(-3000)}`);
    }
    return pasted.map((block, place) => ({ block, text: texts[place] ?? '' }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `start` keeps the service running until the end; `try_out` and `try_out_shop` only check that it starts, on another port. */
const prelude = `set -euo pipefail
# So that each answer has a line of its own, as a prompt would give it.
curl() { command curl "$@" || return; echo; }
wait_until_ready() {
  for attempt in $(seq 1 600); do
    if command curl -sf -o /dev/null "http://127.0.0.1:$1/readyz"; then return; fi
    kill -0 "$2"
    sleep 0.05
  done
  return 1
}
start() {
  setsid bash -c "exec $1" > start.log 2>&1 &
  SERVICE=$!
  trap 'kill $SERVICE; wait $SERVICE || true' EXIT
  wait_until_ready "$PORT" "$SERVICE" || { cat start.log >&2; exit 1; }
}
try_out() {
  env PORT="$OTHER_PORT" bash -c "exec $1" > try.log 2>&1 &
  local process=$!
  wait_until_ready "$OTHER_PORT" "$process" || { cat try.log >&2; exit 1; }
  kill "$process"
  wait "$process" || true
}
try_out_shop() {
  local shop="http://127.0.0.1:$OTHER_PORT"
  env SHOP_PORT="$OTHER_PORT" node my-shop/server.js > shop.log 2>&1 &
  local process=$!
  for attempt in $(seq 1 600); do
    if command curl -sf "$shop/" > page.html; then break; fi
    kill -0 "$process" || { cat shop.log >&2; exit 1; }
    sleep 0.05
  done
  grep -q 'token-url="/call"' page.html
  for script in element web-call worklet; do command curl -sf -o /dev/null "$shop/sdk/web/$script.js"; done
  command curl -sf -o /dev/null "$shop/sdk/errors.js"
  command curl -sf -X POST -d '{"type": "web"}' "$shop/call" | grep -q '"liveUrl":"ws://.*"token":"vat_' || { cat shop.log >&2; exit 1; }
  kill "$process"
  wait "$process" || true
}
`;

function prepare(code: string, replacements: readonly Replacement[], port: string): string {
  const lines = code.split('\n').map((line) => {
    const found = replacements.find(({ from }) => from.test(line));
    if (found === undefined) return line;
    return found.to === null ? ':' : line.replace(found.from, found.to);
  });
  return lines.join('\n').replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${port}`);
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-pasted-'));
  for (const name of readdirSync(root)) {
    if (name !== 'data' && name !== '.git') symlinkSync(join(root, name), join(folder, name));
  }
  // npx takes half a second to resolve the command. Resolving it is tested with the package.
  mkdirSync(join(folder, 'programs'));
  const npx = `#!/bin/sh\nprogram=$1\nshift\nexec "${process.execPath}" "${join(root, 'bin')}/$program.js" "$@"\n`;
  writeFileSync(join(folder, 'programs', 'npx'), npx, { mode: 0o755 });
  return folder;
}

async function runShell(folder: string, settings: Record<string, string>) {
  const PATH = `${join(folder, 'programs')}:${process.env.PATH}`;
  const child = spawn('bash', ['pasted.sh'], {
    cwd: folder,
    env: { PATH, LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTests(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
