import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { availableVoices } from '../../../../src/voice/providers/embedded/speaking/voices.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const japanese = { program: '', dictionary: '', emotions: {} };
/** The voices of an installation with nothing but what the documentation adds with one command. */
const voices = availableVoices({ flite: '', japanese, runtime: null, models: [] });

describe('the README, the SDK’s and the examples', () => {
  it('name voices that a fresh installation has', () => {
    const files = globSync(['README.md', 'sdk/README.md', 'examples/**/*.{md,yaml,ts,js,py,html}'], { cwd: root });
    const named = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const ids = [...text.matchAll(/voice_?id["']?\s*[:=]\s*["']?([\w-]+)|--voice(?:-id)? (\S+)/gi)];
      return ids.map(([, inText, inCommand]) => [file, inText ?? inCommand] as const);
    });
    assert.ok(named.length > 10);
    for (const [file, voiceId] of named) {
      assert.ok(
        voices.some((voice) => voice.voiceId === voiceId),
        `${file}: ${voiceId}`,
      );
    }
  });
});
