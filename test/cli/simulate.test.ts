import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { agentWith } from '../../campaigns/voice/random-agent.ts';
import type { CreateAgent } from '../../sdk/src/schema.ts';
import { readAgentFile } from '../../src/cli/as-code/agent-file.ts';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { runInProcess } from '../support/command-line.ts';
import { runCommand } from '../support/process.ts';
import { recorded } from '../voice/simulation/recording.ts';
import { hasScript, onTerminal, useCommandLine } from './support.ts';

const salon = 'examples/salon/agent.yaml';
const happyPath = 'examples/salon/simulations/happy-path.yaml';

describe('voice-agents simulate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-simulate-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const simulate = (args: readonly string[], input?: string) => runInProcess(['simulate', ...args], {}, input);
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('shows the conversation on a timeline, without colors in a pipe', async () => {
    const { code, stdout, stderr } = await runCommand(['simulate', happyPath], {});
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, stripVTControlCharacters(stdout));
    assert.match(stdout, /^00:00\.\d {2}agent {3}お電話ありがとうございます。ヘアサロン花でございます。/m);
    assert.match(stdout, /^00:\d\d\.\d {2}caller {2}カットでお願いします$/m);
    assert.match(stdout, /^00:\d\d\.\d {2}agent {3}カットですね、.* {2}· \d+ ms$/m);
    assert.match(stdout, /tool {4}book \{"day":"2026-12-24",.*\} → \{"variables":\{"available":true\}\}$/m);
    assert.match(stdout, /^01:\d\d\.\d {2}end {5}agent_hangup$/m);
    assert.match(stdout, /11 expectations passed\n1 run passed {2}· {2}latency p50 \d+ ms, p95 \d+ ms\n$/);
  });

  it('prints the same bytes for the same seed, and others for another', async () => {
    const noisy = written('noisy.yaml', `${readFileSync(happyPath, 'utf8').replace(/^agent:.*$/m, '')}\nnoise: 0.3\n`);
    const report = async (seed: string) => simulate([noisy, '--agent', salon, '--runs', '3', '--seed', seed, '--json']);
    const [first, again, other] = await Promise.all([report('7'), report('7'), report('8')]);
    assert.equal(first.code, 0);
    assert.equal(first.stdout, again.stdout);
    const { transcript } = JSON.parse(first.stdout);
    assert.notDeepEqual(transcript, JSON.parse(other.stdout).transcript);
    const { file, agent, seed, runs, passed, failures, endReason } = JSON.parse(first.stdout);
    assert.deepEqual(
      { file, agent, seed, runs, passed, failures, endReason },
      { file: noisy, agent: salon, seed: 7, runs: 3, passed: 3, failures: [], endReason: 'agent_hangup' },
    );
  });

  it('exits with 1 if an expectation fails, and says which one and how to see it again', async () => {
    const script = written(
      'wrong.yaml',
      [
        'steps:',
        `  - 'say "カットで"'`,
        `  - 'expect agent says /カットですね/'`,
        `  - 'expect agent says /パーマ/ within 100ms'`,
      ].join('\n'),
    );
    const { code, stdout } = await simulate([script, '--agent', salon, '--runs', '2', '--seed', '5']);
    assert.equal(code, 1);
    assert.match(stdout, /✔ 1 expectation passed/);
    assert.match(
      stdout,
      /✖ \S+wrong\.yaml:4:6 {2}expect agent says \/パーマ\/ within 100ms\n {4}expected {2}agent says \/パーマ\//,
    );
    assert.match(stdout, /2 of 2 runs failed/);
    const command = /^ {2}voice-agents (.*)$/m.exec(stdout)?.[1]?.split(' ') ?? [];
    assert.deepEqual(command, ['simulate', script, '--agent', salon, '--seed', '5']);
    const again = await runCommand(command, {});
    assert.equal(again.code, 1);
    assert.match(again.stdout, /wrong\.yaml:4:6/);
  });

  it('exits with 2 for an invalid script, and names every place', async () => {
    const lines = [
      'agnet: x.yaml',
      'tools:',
      '  book: { resutl: 1 }',
      'steps:',
      `  - 'say hello'`,
      `  - "expect \\u0061gent says"`,
      `  - 'expect end it''s over'`,
      '  - hum',
    ];
    const script = written('invalid.yaml', lines.join('\n'));
    const { code, stdout, stderr } = await simulate([script, '--agent', salon]);
    assert.deepEqual([code, stdout], [2, '']);
    const places = stderr.split('\n').flatMap((line) => /invalid\.yaml:(\d+:\d+: \S+)/.exec(line)?.[1] ?? []);
    assert.deepEqual(places, [
      '1:1: agnet',
      '3:11: tools.book.resutl',
      '5:9: say',
      '6:23: expect',
      '7:16: expect',
      '8:5: hum:',
    ]);
    assert.match(stderr, /did you mean agent\?/);
    assert.match(stderr, /must have the form: say "text" \[for 1800ms\]/);
  });

  it('exits with 2 for an agent that cannot be simulated', async () => {
    const broken = written('broken.yaml', readFileSync(salon, 'utf8').replace('next: wants_cut', 'next: nowhere'));
    const prompt = written('prompt.yaml', 'name: Prompt\nvoiceId: x\n');
    const [invalid, model, missing, none] = await Promise.all([
      simulate([happyPath, '--agent', broken]),
      simulate([happyPath, '--agent', prompt]),
      simulate([happyPath, '--agent', join(folder, 'missing.yaml')]),
      simulate([]),
    ]);
    assert.deepEqual([invalid.code, model.code, missing.code, none.code], [2, 2, 2, 2]);
    assert.match(invalid.stderr, /error {4}agentSettings\.flow\.skills\.0\.routes\.\d\.next: is not the id of a skill/);
    assert.match(model.stderr, /Prompt cannot be simulated: its replies come from a language model/);
    assert.match(missing.stderr, /there is no agent file/);
  });

  it('replays the recorded replies of a model, and fails a run that asks for another', async () => {
    const content =
      'name: Prompt\nvoiceId: x\nlanguage: en\nbeginMessage: Hello.\nresponseEngine:\n  type: single_prompt\n';
    const agentFile = written('model.yaml', `${content}  prompt: Answer briefly.\n`);
    const changed = written('changed.yaml', `${content}  prompt: Answer at length.\n`);
    const steps = ['say "What is new?"', 'expect agent says /Not much/'];
    const script = written('model-script.yaml', `steps:\n${steps.map((step) => `  - '${step}'`).join('\n')}\n`);
    const { content: parsed } = readAgentFile('model.yaml', readFileSync(agentFile), 'yaml');
    const { cassette } = recorded(agentWith(parsed as Partial<Agent>), { steps }, () => [
      { after: 200, text: 'Not much.' },
    ]);
    const tape = written('cassette.json', JSON.stringify(cassette));
    const torn = written('torn.json', JSON.stringify({ ...cassette, version: 2 }));
    const [replayed, missed, invalid] = await Promise.all([
      simulate([script, '--agent', agentFile, '--cassette', tape]),
      simulate([script, '--agent', changed, '--cassette', tape]),
      simulate([script, '--agent', agentFile, '--cassette', torn]),
    ]);
    assert.deepEqual([replayed.code, missed.code, invalid.code], [0, 1, 2], replayed.stdout + replayed.stderr);
    assert.match(missed.stdout, /no recorded reply/);
    assert.match(invalid.stderr, /torn\.json: this is not a valid cassette\n {2}version /);
  });

  it('runs all scripts of a folder, and skips the agents in it', async () => {
    const { code, stdout } = await simulate(['examples/survey', '--runs', '3']);
    assert.equal(code, 0);
    assert.match(stdout, /^✔ examples\/survey\/simulations\/correction\.yaml {2}3 of 3 runs$/m);
    assert.match(stdout, /\nAll 9 scripts passed\.\n$/);
  });

  it('talks to a caller, asks for the results of tools, and keeps the conversation as a script', async () => {
    const file = join(folder, 'talk.yaml');
    const typed = ['カットで', '/interrupt やっぱりカラーで', '明日', '3時', '/variables', '/wait 9s', '山田です'];
    const rest = ['／cough', '09012345678', 'はい', 'はい', 'nonsense', '{"variables": {"available": true}}'];
    const { code, stdout, stderr } = await simulate(
      ['--interactive', '--agent', salon, '--write', file],
      `${[...typed, ...rest].join('\n')}\n`,
    );
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /agent {3}カットですね \[not heard: 、かしこまりました。.*\].*\n\S+ {2}caller {2}やっぱりカラーで\n\S+ {2}agent {3}カラーですね/,
    );
    assert.match(stdout, /hour = "15:00"\n/);
    assert.match(stdout, /午後3時ですね、.* {2}· reminder\n/);
    assert.match(
      stdout,
      /tool {4}book \{.*"menu":"color".*\} → nonsense\n.*\n.* → \{"variables": \{"available": true\}\}\n/,
    );
    assert.match(stdout, /山田様のお越しを心よりお待ちしております。.*\n\S+ {2}end {5}agent_hangup\n$/);
    const again = await simulate([file]);
    assert.equal(again.code, 0, again.stdout);
  });

  it('hangs up where the input ends', async () => {
    const { code, stdout } = await simulate(['--interactive', '--agent', 'examples/survey/agent.yaml'], 'yes');
    assert.equal(code, 0);
    assert.match(stdout, /From zero to ten.*\n.*caller {2}\n.*end {5}caller_hangup\n$/);
  });

  it('explores a flow, and writes scripts that pass', async () => {
    const ends = join(folder, 'ends');
    const explored = await simulate(['--explore', '--agent', salon, '--write', ends]);
    assert.equal(explored.code, 0);
    assert.match(explored.stdout, /Coverage {6}100 %/);
    assert.match(explored.stdout, /✔ no findings/);
    const { code, stdout } = await simulate([ends]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /ends\/done\.yaml/);
  });

  it('exits with 1 if it finds something in a flow', async () => {
    const text = readFileSync('examples/survey/agent.yaml', 'utf8');
    const loop = written('loop.yaml', text.replace('otherwise: another_time', 'otherwise: consent'));
    const [shown, json] = await Promise.all([
      simulate(['--explore', '--agent', loop]),
      simulate(['--explore', '--agent', loop, '--json']),
    ]);
    assert.deepEqual([shown.code, json.code], [1, 1]);
    assert.match(shown.stdout, /✖ \S+loop\.yaml:\d+ {2}consent: .* \(endless_retry\)/);
    assert.deepEqual(
      JSON.parse(json.stdout).findings.map(({ kind }: { kind: string }) => kind),
      ['endless_retry'],
    );
  });

  describe('with an agent of a service', () => {
    const line = useCommandLine();
    const createAgent = async () => {
      const { content } = readAgentFile('agent.yaml', readFileSync(salon), 'yaml');
      return (await line.client.agents.create(content as unknown as CreateAgent)).id;
    };

    it('runs there, with the same result as here', async () => {
      const id = await createAgent();
      const args = ['--runs', '3', '--seed', '7', '--json'];
      const there = JSON.parse(await line.output(['simulate', happyPath, '--agent', id, ...args]));
      const here = JSON.parse(await line.output(['simulate', happyPath, ...args]));
      assert.deepEqual({ ...there, agent: salon, endReason: here.endReason }, here);
    });

    it('shows the conversation, and exits with 1 for a failed expectation', async () => {
      const id = await createAgent();
      const script = written('there.yaml', `agent: ${id}\nsteps: ['say "カットで"', 'expect agent says /never/']\n`);
      const { code, stdout } = await line.run(['simulate', script]);
      assert.equal(code, 1);
      assert.match(stdout, /caller {2}カットで\n/);
      assert.match(stdout, /there\.yaml:2:24 {2}expect agent says \/never\//);
      assert.match(stdout, /voice-agents simulate \S+there\.yaml --seed 0\n$/);
    });

    it('is talked to and explored here', async () => {
      const id = await createAgent();
      const talk = await line.run(['simulate', '--interactive', '--agent', id], { input: '担当者をお願いします\n' });
      assert.equal(talk.code, 0, talk.stderr);
      assert.match(talk.stdout, /折り返しお電話いたします.*\n.*end {5}agent_hangup\n$/);
      assert.match(await line.output(['simulate', '--explore', '--agent', id]), /✔ no findings/);
    });

    it('exits with 2 for all other failures', async () => {
      const id = await createAgent();
      const unknown = 'agt_01m7egymwz0000st8pfdesk8sempcd';
      const settings = { VOICE_AGENTS_API_KEY: 'vak_wrong' };
      const results = await Promise.all([
        line.run(['simulate', happyPath, '--agent', unknown]),
        line.run(['simulate', happyPath, '--agent', id, '--version', 'published']),
        line.run(['simulate', happyPath, '--agent', id], { settings }),
      ]);
      assert.deepEqual(
        results.map(({ code }) => code),
        [2, 2, 2],
      );
      assert.match(results[0]?.stderr ?? '', /agentId: is not an agent of this workspace/);
      assert.match(results[1]?.stderr ?? '', /agentVersion: no version of the agent is published/);
    });
  });

  const skip = !hasScript && 'there is no script command';
  it('colors a terminal, and ends with Ctrl-C', { skip }, async () => {
    const terminal = onTerminal(['simulate', '--interactive', '--agent', salon], {});
    await terminal.shown('00:09.4');
    terminal.type('予約です\r');
    await terminal.shown('· 320 ms');
    terminal.type('\x03');
    const { code, screen } = await terminal.end();
    assert.equal(code, 130);
    assert.match(screen, /\x1b\[36magent/);
  });
});
