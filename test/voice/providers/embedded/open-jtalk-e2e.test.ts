import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { wavFile } from '../../../../src/areas/providers/wav-file.ts';
import { linesOf } from '../../../../src/voice/providers/embedded/speaking/open-jtalk.ts';
import { createSpeechProviders } from '../../../../src/voice/providers/registry.ts';
import type { SpeechProviders } from '../../../../src/voice/speech-ports.ts';
import { say } from './support/speech.ts';

/** A program in place of Open JTalk, which notes how it was called. */
suite('the Japanese voice', { skip: process.platform === 'win32' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-jtalk-'));
  const program = join(folder, 'open_jtalk');
  let speech: SpeechProviders;

  const write = (script: string): void => {
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
  };
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

  before(() => {
    mkdirSync(join(folder, 'mei'));
    mkdirSync(join(folder, 'open-jtalk-dictionary'));
    writeFileSync(join(folder, 'open-jtalk-dictionary', 'sys.dic'), '');
    for (const name of ['normal', 'angry']) writeFileSync(join(folder, 'mei', `mei_${name}.htsvoice`), '');
    writeFileSync(join(folder, 'out.wav'), wavFile([new Int16Array(4800).fill(1000)], 48_000));
    write(`cp ${folder}/out.wav "\${10}"; echo "$* $(cat)" >> ${folder}/calls`);
    speech = createSpeechProviders({ models: folder, programPath: folder, isPreloaded: false });
  });
  after(async () => {
    await speech.close();
    rmSync(folder, { recursive: true });
  });

  test('is given readable text, the emotion and the speed, and its audio gets the rate that is wanted', async () => {
    const options = { voiceId: 'mei', language: 'ja-JP', rate: 16_000 };
    const audio = await say(speech, ['19:30です。', '…', '3〜4名様'], options);
    assert.equal(audio.length, 3200);
    await say(speech, ['はい。'], { ...options, emotion: 'angry', speed: 2 });
    const [first, second, third] = calls();
    const mei = (name: string): string => join(folder, 'mei', `mei_${name}.htsvoice`);
    assert.ok(first?.startsWith(`-x ${folder}/open-jtalk-dictionary -m ${mei('normal')} -r 1 -g 0 -ow `));
    assert.match(first ?? '', / 19時30分です。$/);
    assert.match(second ?? '', / 3から4名様$/);
    // The angry voice is slow by itself.
    assert.ok(third?.includes(`-m ${mei('angry')} -r 3 -g 0`));
  });

  test('fails if the program does', async () => {
    write('exit 3');
    await assert.rejects(say(speech, ['はい。'], { voiceId: 'mei', language: 'ja' }), /Open JTalk ended with code 3/);
  });

  test('says nothing for characters that the program has no sound for', async () => {
    write('echo "WARNING: JPCommonLabel_make() in jcomon_label.c: No phoneme." >&2; exit 1');
    assert.equal((await say(speech, ['你们'], { voiceId: 'mei', language: 'ja' })).length, 0);
  });

  test('divides long text where the program would cut it off', () => {
    assert.deepEqual(linesOf(' 一。\n二。 '), ['一。 二。']);
    const sentence = `${'あ'.repeat(199)}。`;
    assert.deepEqual(linesOf(sentence.repeat(3)), [sentence, sentence, sentence]);
    assert.deepEqual(
      linesOf('あ'.repeat(700)).map((line) => line.length),
      [300, 300, 100],
    );
    assert.deepEqual(linesOf('  '), []);
  });
});
