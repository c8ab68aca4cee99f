import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runInProcess } from '../support/command-line.ts';
import { runToEnd } from '../support/process.ts';
import { command } from './support.ts';

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

describe('voice-agents completion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-completion-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const scripts: Record<string, string> = {};
  before(async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout, stderr } = await runInProcess(['completion', shell], {});
      assert.deepEqual([code, stderr], [0, '']);
      scripts[shell] = join(folder, `completion.${shell}`);
      writeFileSync(scripts[shell], stdout);
    }
    const link = join(folder, 'voice-agents');
    writeFileSync(link, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
    chmodSync(link, 0o755);
    const profiles = {
      staging: { baseUrl: 'http://a', apiKey: 'k' },
      production: { baseUrl: 'http://b', apiKey: 'k' },
    };
    writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ current: null, profiles }), { mode: 0o600 });
    mkdirSync(join(folder, 'with a space'));
  });

  /** The completions of bash for each line of words, the last of which is incomplete. */
  const offered = async (...lines: readonly string[][]): Promise<string[][]> => {
    const ask = `cd "$1"; source "$2"; shift 2
      for line in "$@"; do
        IFS=$'\\t' read -r -a COMP_WORDS <<< "$line"$'\\t.'; unset 'COMP_WORDS[-1]'
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _voice_agents
        (IFS=$'\\t'; echo "\${COMPREPLY[*]}")
      done`;
    const words = lines.map((line) => line.map((word) => word || ' ').join('\t'));
    const settings = { PATH: `${folder}:${process.env.PATH}`, VOICE_AGENTS_PROFILES: join(folder, 'profiles.json') };
    const args = ['--norc', '-c', ask, 'bash', folder, scripts.bash as string, ...words];
    const { stdout, stderr } = await runToEnd('bash', args, settings);
    assert.equal(stderr, '');
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t').filter((word) => word !== ''));
  };

  it('completes commands, options and values in bash', { skip: !has('bash') && 'there is no bash' }, async () => {
    const [commands, agents, begun, options, afterValue, shells, profiles, profile, files] = await offered(
      ['voice-agents', 'a'],
      ['voice-agents', 'agents', 'd'],
      ['voice-agents', 'agents', 'list', '--se'],
      ['voice-agents', 'agents', 'update', 'agt_1', '--'],
      ['voice-agents', 'agents', 'list', '--search', 'keys', '--a'],
      ['voice-agents', 'completion', 'z'],
      ['voice-agents', 'agents', 'list', '--profile', 's'],
      ['voice-agents', 'profiles', 'use', 'p'],
      ['voice-agents', 'restore', 'with'],
    );
    assert.deepEqual(commands, ['agents', 'apply', 'analytics', 'audit']);
    assert.deepEqual(agents, ['delete', 'diff', 'duplicate']);
    assert.deepEqual(begun, ['--search']);
    assert.deepEqual(options, [
      '--set',
      '--file',
      '--unset',
      '--if-match',
      '--json',
      '--profile',
      '--base-url',
      '--help',
    ]);
    assert.deepEqual(afterValue, ['--all']);
    assert.deepEqual(shells, ['zsh']);
    assert.deepEqual(profiles, ['staging']);
    assert.deepEqual(profile, ['production']);
    assert.deepEqual(files, ['with a space']);
  });

  it('knows every command of --help', { skip: !has('bash') && 'there is no bash' }, async () => {
    const { stdout } = await runInProcess(['--help'], {});
    const shown = [...stdout.replace(/\nExamples:.*/s, '').matchAll(/^ {2}([a-z]+)(?= )/gm)].map(([, name]) => name);
    assert.ok(shown.includes('serve') && shown.includes('agents'), stdout);
    const offers = await offered(...shown.map((name) => ['voice-agents', name as string]));
    assert.deepEqual(
      offers.map(([first]) => first),
      shown,
    );
  });

  for (const shell of ['zsh', 'fish']) {
    it(`prints a script that is valid in ${shell}`, { skip: !has(shell) && `there is no ${shell}` }, () => {
      const { status, stderr } = spawnSync(shell, ['-n', scripts[shell] as string], { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    });
  }

  it('rejects unknown shells', async () => {
    const { code, stderr } = await runInProcess(['completion', 'tcsh'], {});
    assert.equal(code, 2);
    assert.match(stderr, /Allowed choices are bash, zsh, fish/);
  });
});
