import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { echo, type LlmBehavior, startLlmServer } from '../providers/custom-llm-double.ts';
import { runInProcess } from '../support/command-line.ts';

const examples = new URL('../../examples/custom-llm/', import.meta.url);

interface Report {
  readonly passed: boolean;
  readonly checks: readonly { name: string; status: string; tookMs: number; details: string[] }[];
}

async function check(url: string, ...options: string[]) {
  const { code, stdout } = await runInProcess(['llm-check', url, '--json', ...options], {});
  const report = JSON.parse(stdout) as Report;
  const failed = report.checks.filter(({ status }) => status === 'failed');
  return { code, report, failed: Object.fromEntries(failed.map(({ name, details }) => [name, details.join('; ')])) };
}

async function checkServer(behavior: LlmBehavior, ...options: string[]) {
  const { url, close } = await startLlmServer(behavior);
  const checked = await check(url, ...options);
  await close();
  return checked;
}

/** An example, as its users start it. */
async function startExample(context: TestContext, command: string, file: string): Promise<string> {
  const child = spawn(command, [new URL(file, examples).pathname, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const [url] = await once(createInterface(child.stdout), 'line');
  return url as string;
}

describe('voice-agents llm-check', () => {
  for (const [command, file] of [
    [process.execPath, 'server.ts'],
    ['python3', 'server.py'],
  ] as const) {
    it(`the example ${file} conforms, also strictly`, async (context) => {
      const url = await startExample(context, command, file);
      const { code, failed, report } = await check(url, '--strict');
      assert.deepEqual(failed, {});
      assert.deepEqual([code, report.passed], [0, true]);
      assert.ok(report.checks.every(({ status }) => status === 'passed' || status === 'skipped'));
    });
  }

  it('prints a line for each check, with times', async () => {
    const { url } = await startLlmServer({
      connected: (client) => client.respond(0, 'Hello.'),
      received: (frame, client) => {
        if (frame.interaction_type.endsWith('_required')) client.respond(frame.response_id, 'Yes.');
      },
    });
    const { code, stdout } = await runInProcess(['llm-check', url], {});
    assert.equal(code, 0, stdout);
    assert.match(stdout, /✓ question +\d+ ms {2}first frame after \d+ ms, complete after \d+ ms\n/);
    assert.match(stdout, /– pings +\d+ ms {2}auto_reconnect is not set\n/);
    assert.match(stdout, /The server conforms\.\n$/);
  });

  it('reports what a server does wrong, with exit code 1', async () => {
    const twice = await checkServer({
      connected: (client) => client.respond(0, ''),
      received: (frame, client) => {
        if (!frame.interaction_type.endsWith('_required')) return;
        client.respond(frame.response_id, 'Yes.');
        client.respond(frame.response_id, 'Yes, again.');
        client.respond(99, 'What?');
        client.send({ response_type: 'config' });
      },
    });
    assert.equal(twice.code, 1);
    assert.deepEqual(Object.keys(twice.failed), ['stale ids', 'valid frames']);
    assert.match(twice.failed['stale ids'] ?? '', /\d+ ms: response_id 1 was complete/);
    assert.match(twice.failed['stale ids'] ?? '', /response_id 99 was never required/);
    assert.match(twice.failed['valid frames'] ?? '', /BAD_FIELD: config of config is missing/);
  });

  it('accepts the oldest servers: no type of the response, no reminders; both are warnings', async () => {
    const { code, report, failed } = await checkServer({
      isStrict: false,
      connected: (client) => client.send({ response_id: 0, content: 'Hello.', content_complete: true }),
      received: ({ interaction_type: type, response_id }, client) => {
        if (type === 'response_required') client.send({ response_id, content: 'Yes.', content_complete: true });
      },
    });
    assert.deepEqual([code, failed], [0, {}]);
    const warned = report.checks
      .filter(({ status }) => status === 'warning')
      .map(({ name, details }) => [name, ...details]);
    assert.deepEqual(warned, [
      ['reminder', 'no response: a caller who is silent is not reminded'],
      ['valid frames', '4 responses have no response_type, which strict mode requires'],
    ]);
  });

  it('finds servers that answer no ping, forget their config, and lose their tools', async () => {
    const { failed } = await checkServer({
      connected: (client, connection) => {
        if (connection === 1) client.send({ response_type: 'config', config: { auto_reconnect: true } });
        client.respond(0, '');
      },
      received: (frame, client) => {
        if (!frame.interaction_type.endsWith('_required')) return;
        if (frame.response_id === 1) {
          client.send({ response_type: 'tool_call_invocation', tool_call_id: 'a', name: 'book', arguments: '{' });
        }
        client.respond(frame.response_id, 'Yes.');
      },
    });
    assert.deepEqual(Object.keys(failed), ['pings', 'drop and reconnect', 'tool events']);
    assert.match(failed['tool events'] ?? '', /no tool_call_result for a; \d+ ms: the arguments of book are not JSON/);
  });

  it('--strict requires the subprotocol; an address that nobody serves fails', async () => {
    const plain = await checkServer({ isStrict: false, received: echo }, '--strict');
    assert.match(plain.failed.connect ?? '', /does not select the subprotocol voice-agents\.llm\.v1/);
    const { url, close } = await startLlmServer({});
    await close();
    const gone = await check(url);
    assert.equal(gone.code, 1);
    assert.match(gone.failed.connect ?? '', /ECONNREFUSED/);
    assert.equal((await runInProcess(['llm-check', 'https://example.com'], {})).code, 2);
  });
});
