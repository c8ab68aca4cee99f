import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runToEnd } from './process.ts';

const module = new URL('./untracked-promises.ts', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'voice-agents-untracked-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function runOf(name: string, body: string) {
  const file = join(folder, `${name}.test.mjs`);
  writeFileSync(
    file,
    `import { stopTrackingPromises } from '${module}';
    import { it } from 'node:test';
    import { setTimeout as delay } from 'node:timers/promises';
    it('is a test', async () => { ${body} });
    stopTrackingPromises();`,
  );
  return runToEnd(process.execPath, ['--expose-internals', '--test', '--test-reporter=tap', file], {});
}

describe('a run of tests whose promises are not tracked', () => {
  it('passes if all is well', async () => {
    const { code, stdout } = await runOf('well', 'await delay(1);');
    assert.deepEqual([code, /^# pass (\d+)$/m.exec(stdout)?.[1]], [0, '1'], stdout);
  });

  for (const [name, body] of [
    ['is rejected and not handled', `void Promise.reject(new Error('lost')); await delay(20);`],
    ['is thrown later', `setTimeout(() => { throw new Error('lost'); }, 1); await delay(20);`],
  ] as const) {
    it(`fails, with the stack, if an error ${name}`, async () => {
      const { code, stdout, stderr } = await runOf(name.split(' ').join('-'), body);
      assert.equal(code, 1, stdout);
      assert.match(stdout + stderr, /Error: lost\n.*\n? *#? *at .*test\.mjs/);
    });
  }
});
