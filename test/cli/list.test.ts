import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, it } from 'node:test';
import { endWithTests } from '../support/children.ts';
import { command, hasScript, onTerminal, useCommandLine } from './support.ts';

const many = 450;

describe('agents list', { concurrency: 4 }, () => {
  const line = useCommandLine();
  const names = Array.from({ length: many }, (_, number) => `Agent ${number}`);
  before(async () => {
    const creations = names.map((name) => line.client.agents.create({ name, voiceId: 'v', language: 'en' }));
    await Promise.all(creations);
  });
  const namesIn = (text: string): string[] => {
    const lines = text.trimEnd().split('\n');
    return lines.map((json) => JSON.parse(json).name);
  };

  it('reads all pages with --all, and as many as --limit needs', async () => {
    const all = await line.run(['agents', 'list', '--all', '--json']);
    assert.deepEqual([all.code, all.stderr], [0, '']);
    assert.deepEqual(namesIn(all.stdout).toSorted(), names.toSorted());
    assert.equal(namesIn(await line.output(['agents', 'list', '--limit', '250', '--json'])).length, 250);
    const table = (await line.output(['agents', 'list', '--all'])).trimEnd().split('\n');
    assert.equal(table.length, 1 + many);
    assert.match(table[0] as string, /^ID {34}NAME +ENGINE +LANGUAGE {2}VOICE {2}STATE {5}CHANGED$/);
    assert.match(
      table[1] as string,
      /^agt_\w{30} {2}Agent \d+ +conversation_flow {2}en {8}v {6}Draft v1 {2}\d{4}-\d\d-\d\dT[\d:.]{12}Z$/,
    );
  });

  it('shows the first 50 by default, and says that there are more only on a terminal', async () => {
    const piped = await line.run(['agents', 'list']);
    assert.deepEqual([piped.code, piped.stderr], [0, '']);
    assert.equal(piped.stdout.split('\n').length, 1 + 50 + 1);
    assert.equal(namesIn(await line.output(['agents', 'list', '--search', 'agent 44', '--json'])).length, 11);
    assert.equal(await line.output(['agents', 'list', '--search', 'nobody']), 'No agents match.\n');
    assert.equal(await line.output(['agents', 'list', '--search', 'nobody', '--json']), '');
    if (!hasScript) return;
    const { screen } = await onTerminal(['agents', 'list', '--limit', '2'], line.settings).end();
    assert.match(screen, /\nThere are more\. Use --all to show all of them, or a higher --limit\.\n$/);
    assert.ok(screen.includes('\x1b[33mDraft v1\x1b[39m'), 'the state has a colour');
    assert.match(screen, /just now|min ago/);
  });

  it('shows its progress on a terminal, and removes it', { skip: !hasScript && 'no script(1)' }, async () => {
    const { code, screen } = await onTerminal(['agents', 'list', '--all'], line.settings).end();
    assert.equal(code, 0);
    assert.match(screen, /^\r\x1b\[K {2}Reading {2}200.*\r\x1b\[K\x1b\[1mID/s);
    assert.equal(screen.split('\n').length, 1 + many + 1);
  });

  it('exits quietly when its reader closes the pipe', async () => {
    const child = spawn(
      'bash',
      ['--norc', '-c', `set -o pipefail; "$0" "$1" agents list --all --json | head -1`, process.execPath, command],
      {
        env: { PATH: process.env.PATH, ...line.settings },
      },
    );
    endWithTests(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    assert.equal(code, 0);
    assert.match(output, /^\{"id":"agt_.*\}\n$/);
  });

  it('exits with 130 on Ctrl-C', async (context) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    context.after(() => silent.closeAllConnections() ?? silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const child = spawn(process.execPath, [command, 'agents', 'list', '--all'], {
      env: { PATH: process.env.PATH, ...line.settings, VOICE_AGENTS_BASE_URL: `http://127.0.0.1:${port}` },
    });
    endWithTests(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    await once(silent, 'request');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    assert.deepEqual([code, output], [130, '']);
  });

  it('loads no server code', async () => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => { process.stderr.write(url + '\\n'); return next(url, context); } });`;
    const settings = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
    const { code, stderr } = await line.runProcess(['agents', 'list', '--limit', '1'], { settings });
    assert.equal(code, 0);
    const loaded = stderr.split('\n').filter((url) => url.startsWith('file:'));
    assert.ok(
      loaded.some((url) => url.endsWith('/sdk/src/client.ts')),
      stderr,
    );
    const foreign = loaded.filter((url) =>
      /\/src\/(?:storage|http|areas|changes|jobs|app|main)\b(?!\/keys\/secret)|\/(?:pg|zod|pino|yaml|ws)\//.test(
        url.replace('/src/cli/', '/'),
      ),
    );
    assert.deepEqual(foreign, []);
  });
});
