import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { echo, startLlmServer } from '../providers/custom-llm-double.ts';
import { startOpenAiDouble } from '../providers/openai-double.ts';
import { runInProcess } from '../support/command-line.ts';

const agentOf = (engine: string) =>
  `name: Live\nvoiceId: x\nlanguage: en\ninterruptionSensitivity: 0\nresponsiveness: 1\nresponseEngine:\n${engine}`;
const secret = 'sk-live-0123456789abcdef';

describe('voice-agents simulate --record', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-record-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const simulate = (args: readonly string[], environment: Record<string, string> = {}) =>
    runInProcess(['simulate', ...args], environment);
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const script = (name: string, ...steps: string[]) =>
    written(name, `steps:\n${steps.map((step) => `  - '${step}'`).join('\n')}\n`);

  it('writes what a custom LLM server sends, so that it can be replayed without the server', async () => {
    const server = await startLlmServer({
      connected: (client) => {
        client.send({ response_type: 'config', config: { auto_reconnect: true, call_details: true } });
        client.socket.send('not JSON');
      },
      received: (frame, client) => {
        if (frame.interaction_type === 'call_details') client.respond(0, 'Hello.');
        if (frame.interaction_type === 'response_required') {
          client.send({ response_type: 'metadata', metadata: { key: secret } });
        }
        setTimeout(() => echo(frame, client), 300);
      },
    });
    const agent = written(
      'custom.yaml',
      agentOf(`  type: custom_llm\n  llmWebsocketUrl: ${server.url}?key=${secret}\n`),
    );
    const steps = ['expect agent says /Hello/', 'say "A table."', 'expect agent says /You said: A table/'];
    const file = script('custom-script.yaml', ...steps);
    const tape = join(folder, 'tapes', 'custom.json');
    const live = await simulate([file, '--agent', agent, '--record', tape]);
    await server.close();
    assert.equal(live.code, 0, live.stdout + live.stderr);
    assert.match(live.stderr, /Recorded in .*custom\.json/);
    assert.match(server.clients[0]?.path ?? '', /^\/llm\/call_simulated\?/);
    const text = readFileSync(tape, 'utf8');
    assert.ok(!text.includes(secret), 'no secret is recorded');
    const { exchanges } = JSON.parse(text);
    const answer = exchanges.at(-1).frames.at(-1);
    assert.ok(answer.atMs >= 290 && answer.atMs < 15_000, `after ${answer.atMs} ms`);

    const replayed = await simulate([file, '--agent', agent, '--cassette', tape]);
    assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
    const other = script('other.yaml', 'say "Two tables."', 'expect agent says /You said/');
    const missed = await simulate([other, '--agent', agent, '--cassette', tape]);
    assert.equal(missed.code, 1);
    assert.match(missed.stdout, /no recorded response to "Two tables\."/);
  });

  it('writes what a language model replies', async () => {
    const model = await startOpenAiDouble();
    model.play({ text: 'Not much.' });
    const agent = written(
      'model.yaml',
      agentOf('  type: single_prompt\n  prompt: Answer.\n').concat('beginMessage: Hi.\n'),
    );
    const file = script('model-script.yaml', 'say "What is new?"', 'expect agent says /Not much/');
    const tape = join(folder, 'model.json');
    const live = await simulate([file, '--agent', agent, '--record', tape], {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'sk-test',
    });
    await model.close();
    assert.equal(live.code, 0, live.stdout + live.stderr);
    assert.equal((await simulate([file, '--agent', agent, '--cassette', tape])).code, 0);
  });

  it('says how the call ended if the server leaves, and what cannot be recorded', async () => {
    const server = await startLlmServer({ connected: ({ socket }) => socket.close(1011) });
    const leaving = written('leaving.yaml', agentOf(`  type: custom_llm\n  llmWebsocketUrl: ${server.url}\n`));
    const prompt = written('prompt.yaml', agentOf('  type: single_prompt\n  prompt: Answer.\n'));
    const flow = 'examples/salon/agent.yaml';
    const file = script('any.yaml', 'say "Hello."', 'expect agent says /./');
    const tape = join(folder, 'none.json');
    const [none, several, noModel] = await Promise.all([
      simulate([file, '--agent', flow, '--record', tape]),
      simulate([file, file, '--agent', flow, '--record', tape]),
      simulate([file, '--agent', prompt, '--record', tape]),
    ]);
    assert.deepEqual([none.code, several.code, noModel.code], [2, 2, 2]);
    assert.match(none.stderr, /needs no cassette/);
    assert.match(several.stderr, /--record takes one script/);
    assert.match(noModel.stderr, /none is connected: set OPENAI_API_KEY/);
    assert.equal(existsSync(tape), false);
    const left = await simulate([file, '--agent', leaving, '--record', tape]);
    await server.close();
    assert.equal(left.code, 1);
    assert.match(left.stdout, /end {5}llm_failed/);
  });
});
