import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { findSpeechPackages } from '../../../../src/voice/providers/embedded/packages.ts';
import { createSpeechProviders } from '../../../../src/voice/providers/registry.ts';
import { hear, say, wordErrorRate } from './support/speech.ts';

const isInstalled = Object.values(findSpeechPackages()).every((file) => file !== null);
const sentences = [
  'I would like to book a table for two people tomorrow at seven.',
  'No, thank you, that is everything for today.',
];

suite('embedded speech', { skip: isInstalled ? false : 'the optional packages are not installed' }, () => {
  test('a long monologue is recognized in parts, of which none is lost', async () => {
    const models = mkdtempSync(join(tmpdir(), 'voice-agents-models-'));
    const speech = createSpeechProviders({ models, programPath: '', isPreloaded: false });
    const texts = Array.from({ length: 3 }, () => sentences).flat();
    const { finals } = await hear(speech, await say(speech, texts));
    await speech.close();
    rmSync(models, { recursive: true });
    assert.ok(finals.length >= 2, `${finals.length} parts`);
    assert.ok(wordErrorRate(texts.join(' '), finals.join(' ')) < 0.2, finals.join(' | '));
  });
});
