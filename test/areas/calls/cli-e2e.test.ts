import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Agent } from '../../../sdk/src/schema.ts';
import { hasScript, onTerminal, useCommandLine } from '../../cli/support.ts';
import { spokenCall } from './live/caller.ts';
import { eventually } from './support.ts';

const script = 'いらっしゃいませ。\n何名様ですか。\n[end]';
const needsScript = { skip: !hasScript && 'there is no "script" command' };

describe('voice-agents chat', { concurrency: 2 }, () => {
  const line = useCommandLine();
  const newAgent = (name: string, llmModel: string): Promise<Agent> =>
    line.client.agents.create({
      name,
      voiceId: 'ja-JP-Nanami',
      responseEngineType: 'single_prompt',
      prompt: script,
      llmModel,
    });
  const callsOf = async ({ id }: Agent) => (await line.client.calls.list({ agentId: id })).items;

  it('sends each line of a pipe, and prints what the agent says', async () => {
    const agent = await newAgent('Echo of a pipe', 'test-echo');
    const { code, stdout, stderr } = await line.run(['chat', 'Echo of a pipe'], { input: 'こんにちは\n\n予約です\n' });
    assert.deepEqual([code, stdout], [0, 'こんにちは\n予約です\n']);
    assert.match(stderr, /^Echo of a pipe · version 1, draft\nCall ended after .* · call_\w{30}\n$/);
    assert.deepEqual(
      (await callsOf(agent)).map(({ status, endReason }) => [status, endReason]),
      [['ended', 'api_end']],
    );
  });

  it('prints one JSON per reply', async () => {
    const { id } = await newAgent('JSON', 'test-script');
    const { code, stdout } = await line.run(['chat', id, '--json'], { input: 'はい\nもう一度\n' });
    const replies = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    assert.equal(code, 0);
    assert.deepEqual(
      replies.map(({ status, turns }) => [status, turns.at(-1)?.text]),
      [
        ['ongoing', 'いらっしゃいませ。'],
        ['ongoing', '何名様ですか。'],
        ['ended', 'もう一度'],
      ],
    );
    assert.match(replies[0].callId, /^call_/);
  });

  it('exits with 0 when the agent ends the call, and with 1 when a reply fails', async () => {
    await newAgent('Hangs up', 'test-script');
    const ended = await line.run(['chat', 'Hangs up'], { input: 'a\nb\nc\nd\n' });
    assert.equal(ended.code, 0);
    assert.match(ended.stderr, /The agent has ended the call\.\nCall ended after/);
    const agent = await newAgent('Fails', 'test-fail');
    const failed = await line.run(['chat', 'Fails'], { input: 'a\n' });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /voice-agents: The agent could not reply: /);
    assert.notEqual((await callsOf(agent))[0]?.status, 'ongoing', 'the call does not stay open');
  });

  it('says that no language model is connected', async () => {
    await newAgent('Rehearsal', 'gpt-5.4-mini');
    const { stdout, stderr } = await line.run(['chat', 'Rehearsal'], { input: '予約です\n' });
    assert.match(stderr, /\nNo language model is connected: the agent repeats what it hears\.\n/);
    assert.match(stdout, /「予約です」と聞こえました。/);
  });

  it('takes a part of one name, or an exact name, of which it uses the newest and says so; and variables', async () => {
    await newAgent('Twice', 'test-echo');
    const newest = await newAgent('Twice', 'test-echo');
    await newAgent('Twice again', 'test-echo');
    const exact = await line.run(['chat', 'Twice'], { input: 'a\n' });
    assert.equal(exact.code, 0);
    assert.ok(exact.stderr.includes(`\n2 agents have this name. This is the newest, ${newest.id}.\n`), exact.stderr);
    assert.equal((await callsOf(newest)).length, 1);
    const several = await line.run(['chat', 'Twic'], { input: '' });
    assert.equal(several.code, 2);
    assert.match(several.stderr, /several agents match "Twic": use an id\n {2}agt_\w{30} {2}Twice again\n/);
    const none = await line.run(['chat', 'Nobody at all'], { input: '' });
    assert.deepEqual([none.code, none.stderr], [4, 'voice-agents: there is no agent "Nobody at all"\n']);
    const agent = await newAgent('Variables', 'test-echo');
    const variables = ['--variable', 'shop=銀座店', '--variable', 'guests=2', '--variable', 'room="12"'];
    await line.run(['chat', 'Variables', ...variables], { input: 'a\n' });
    assert.deepEqual((await callsOf(agent))[0]?.variables, { shop: '銀座店', guests: 2, room: '12' });
    const malformed = await line.run(['chat', 'Variables', '--variable', 'shop'], { input: '' });
    assert.deepEqual([malformed.code, malformed.stdout], [2, '']);
  });

  it('is a conversation on a terminal', needsScript, async () => {
    const agent = await newAgent('Terminal', 'test-script');
    const terminal = onTerminal(['chat', agent.id], line.settings);
    await terminal.shown('いらっしゃいませ。');
    await terminal.shown('You: ');
    terminal.type('予約です\r');
    await terminal.shown('何名様ですか。');
    await terminal.shown(' ms');
    terminal.type('\u0003');
    const { code, screen } = await terminal.end();
    const text = stripVTControlCharacters(screen);
    assert.equal(code, 0);
    assert.match(text, /^Terminal · version 1, draft · \/end or Ctrl-D ends the call\nAgent: いらっしゃいませ。\n/);
    assert.match(text, /You: 予約です\s+Agent: 何名様ですか。 {2}\d+ ms\n/);
    assert.match(text, /Call ended after .* · call_\w{30}\n$/);
    assert.equal((await callsOf(agent))[0]?.endReason, 'api_end');
  });

  it('offers to try a failed reply again, without saying it twice', needsScript, async () => {
    const agent = await newAgent('Again', 'test-fail');
    await line.client.agents.update(agent.id, { beginMessage: 'はい。' });
    const terminal = onTerminal(['chat', agent.id], line.settings);
    await terminal.shown('You: ');
    terminal.type('予約です\r');
    await terminal.shown('Press Enter to try again');
    terminal.type('\r/end\r');
    const { code, screen } = await terminal.end();
    assert.equal(code, 0);
    assert.equal(screen.match(/The agent could not reply/g)?.length, 2);
    const [call] = await callsOf(agent);
    const { turns } = await line.client.calls.transcript.get(call?.id ?? '');
    assert.equal(turns.filter(({ role }) => role === 'caller').length, 1);
  });

  it('offers nothing after the third failed reply, which ends the call', needsScript, async () => {
    const agent = await newAgent('Over', 'test-fail');
    await line.client.agents.update(agent.id, { beginMessage: 'はい。' });
    const terminal = onTerminal(['chat', agent.id], line.settings);
    await terminal.shown('You: ');
    terminal.type('予約です\r\r\r');
    const { code, screen } = await terminal.end();
    assert.equal(code, 0);
    assert.equal(screen.match(/The agent could not reply/g)?.length, 3);
    assert.equal(screen.match(/Press Enter to try again/g)?.length, 2);
    assert.match(screen, /The call is over: llm_failed/);
  });
});

describe('voice-agents calls', () => {
  const line = useCommandLine();

  it('lists, shows, exports, ends and deletes calls', async () => {
    assert.match(await line.output(['calls', 'list']), /^No calls yet\./);
    const agent = await line.client.agents.create({ name: 'Shop', voiceId: 'v', llmModel: 'test-echo' });
    const create = () => line.client.calls.create({ type: 'chat', agentId: agent.id, agentVersion: 'latest' });
    const [talked, unused] = [await create(), await create()];
    await line.client.calls.messages.create(talked.id, { text: '予約です\n二名です' });

    const listed = await line.output(['calls', 'list', '--agent', 'Shop', '--status', 'ongoing,registered']);
    assert.match(
      listed,
      new RegExp(`^ID +TYPE +STATUS.*\n${unused.id} +chat +registered.*\n${talked.id} +chat +ongoing`),
    );
    assert.equal(JSON.parse(await line.output(['calls', 'list', '--limit', '1', '--json'])).id, unused.id);
    assert.match(await line.output(['calls', 'list', '--status', 'error']), /^No calls match\.\n$/);

    assert.match(await line.output(['calls', 'end', talked.id]), / is over after .*: api_end\.\n$/);
    assert.match(await line.output(['calls', 'end', unused.id]), / is over: canceled\.\n$/);
    assert.match(
      await line.output(['calls', 'show', talked.id]),
      /\n {2}status +ended\n[\s\S]*\n {2}endReason +api_end\n/,
    );
    assert.deepEqual(
      JSON.parse(await line.output(['calls', 'get', talked.id, '--json'])),
      await line.client.calls.get(talked.id),
    );
    const transcript = await line.output(['calls', 'transcript', talked.id]);
    assert.match(transcript, /^00:00\.\d {2}caller {2}予約です\n {17}二名です\n00:00\.\d {2}agent {3}予約です\n/);
    assert.match(transcript, / {2}end {5}api_end\n$/);

    assert.match(await line.output(['calls', 'analyses', talked.id]), /skipped: provider_not_configured\n/);
    const fields = join(line.folder, 'fields.json');
    writeFileSync(fields, JSON.stringify([{ name: 'guests', type: 'number', description: '' }]));
    const tried = ['calls', 'analyze', talked.id, '--preview', '--fields', fields, '--model', 'test-extract'];
    assert.match(await line.output(tried), /summary +予約です\n[\s\S]*data\.guests +—\n/);
    const again = ['calls', 'analyze', talked.id, '--model', 'test-extract'];
    assert.match(await line.output(again), /^ana_\w+ is pending/);

    const file = join(line.folder, 'calls.jsonl');
    const exported = await line.run(['calls', 'export', '--created-after', '2020-01-01', '--out', file]);
    assert.deepEqual([exported.code, exported.stderr], [0, `2 calls exported to ${file}\n`]);
    const calls = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    assert.deepEqual(
      calls.map(({ id, transcript }) => [id, transcript?.turns.length ?? null]),
      [
        [unused.id, null],
        [talked.id, 2],
      ],
    );
    assert.equal(await line.output(['calls', 'export', '--status', 'error']), '');

    const folder = join(line.folder, 'simulations');
    const repeated = await line.run(['calls', 'export', talked.id, '--out', folder]);
    assert.match(repeated.stderr, /^Note: the call used a draft/);
    const simulate = repeated.stdout.trim().split(' ');
    assert.deepEqual(simulate.slice(0, 3), ['voice-agents', 'simulate', join(folder, `${talked.id}.yaml`)]);
    assert.match(await line.output(simulate.slice(1)), /passed/);
    assert.match((await line.run(['calls', 'export', unused.id])).stderr, /nothing to repeat/);
    assert.match((await line.run(['calls', 'export', talked.id, '--status', 'ended'])).stderr, /needs no filters/);

    const unconfirmed = await line.run(['calls', 'delete', talked.id]);
    assert.equal(unconfirmed.code, 2);
    assert.equal(await line.output(['calls', 'delete', talked.id, '--yes']), `${talked.id} deleted.\n`);
    assert.equal((await line.run(['calls', 'get', talked.id])).code, 4);
  });

  it('explains what is not stored, and what is not an id', async () => {
    const agent = await line.client.agents.create({ name: 'Secret', voiceId: 'v', llmModel: 'test-echo' });
    const { id } = await line.client.calls.create({
      type: 'chat',
      agentId: agent.id,
      agentVersion: 'latest',
      dataStorageSetting: 'basic_attributes_only',
    });
    await line.client.calls.messages.create(id, { text: 'a' });
    const { code, stderr } = await line.run(['calls', 'transcript', id]);
    assert.deepEqual([code, stderr.startsWith('voice-agents: the transcript of this call is not stored')], [4, true]);
    const key = await line.run(['calls', 'get', line.key]);
    assert.deepEqual([key.code, key.stderr.includes(line.key)], [2, false]);
    const time = await line.run(['calls', 'list', '--created-after', 'yesterday']);
    assert.match(time.stderr, /--created-after must be a date or a time/);
  });

  it('lists the calls in which something was said', async () => {
    const agent = { name: 'Perms', voiceId: 'slt', llmModel: 'test-echo', prompt: 'Echo.' };
    const { id: agentId } = await line.client.agents.create(agent);
    const { id } = await line.client.calls.create({ type: 'chat', agentId, agentVersion: 'latest' });
    await line.client.calls.messages.create(id, { text: 'パーマの相談です' });
    await line.client.calls.end(id);
    assert.match(await line.output(['calls', 'search', 'ﾊﾟｰﾏの']), new RegExp(`^ID +TYPE.*\\n${id} +chat `));
    const { items } = JSON.parse(await line.output(['calls', 'search', 'パーマ', '--json']));
    assert.deepEqual(
      items.map((call: { id: string }) => call.id),
      [id],
    );
    assert.equal(await line.output(['calls', 'search', 'nobody said this']), 'No calls found.\n');
  });

  it('prints a link to a recording that can be opened, or why there is none', async () => {
    const recorded = { agentSettings: { calls: { recordingEnabled: true } } };
    const { client, caller, id } = await spokenCall(line.service, line.key, { agent: recorded });
    await caller.say('hello');
    await client.said('hello');
    client.send({ type: 'end' });
    await client.closed;
    await eventually(async () => (await line.client.calls.get(id)).recording.status === 'available');
    const url = await line.output(['calls', 'recording', id]);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/media\/v1\/\S+\n$/);
    const response = await fetch(url.trim());
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'audio/wav']);
    assert.equal(JSON.parse(await line.output(['calls', 'recording', id, '--json'])).callId, id);
    const chat = await line.client.calls.list({ type: 'chat' });
    const { code, stderr } = await line.run(['calls', 'recording', chat.items[0]?.id ?? '']);
    assert.deepEqual([code, stderr], [4, 'voice-agents: this call was not recorded: see recordingEnabled\n']);
  });
});
