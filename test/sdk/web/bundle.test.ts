import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundle } from './bundle.ts';

const sdk = join(import.meta.dirname, '..', '..', '..', 'sdk');

describe('the browser client as a package', () => {
  it('has less than 17 KB for a page, with the element', async () => {
    const size = gzipSync(await bundle('both')).length;
    assert.ok(size < 17_000, `${size} bytes`);
  });

  it('does without the element where it is not used', async () => {
    const alone = await bundle('index');
    assert.doesNotMatch(alone, /voice-agent-call|attachShadow/);
    assert.match(alone, /voice-agent-playback/);
  });

  it('exports only files that the build writes', () => {
    const { exports } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
    for (const target of Object.values(exports).flatMap((each) =>
      typeof each === 'string' ? [each] : Object.values(each as object),
    )) {
      const source = target.replace('./dist/', './src/').replace(/(\.d\.ts|\.js)$/, '.ts');
      assert.ok(existsSync(join(sdk, source)), target);
    }
  });
});
