import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { useStartedService } from '../sdk/support/started-service.ts';
import { runToEnd } from '../support/process.ts';

const sdk = join(import.meta.dirname, '..', '..', 'sdk');

describe('the SDK README', () => {
  const service = useStartedService();

  it('can be pasted from beginning to end', async (context) => {
    const readme = readFileSync(join(sdk, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
    assert.ok(blocks.length >= 5);
    const entry = pathToFileURL(join(sdk, 'src', 'index.ts')).href;
    const program = blocks.join('\n').replaceAll("'voice-agent-sdk'", `'${entry}'`);
    const folder = mkdtempSync(join(tmpdir(), 'voice-agent-sdk-'));
    context.after(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'readme.mts'), program);
    const settings = { VOICE_AGENTS_API_KEY: await service.newKey(), VOICE_AGENTS_BASE_URL: service.url };
    const { code, stdout, stderr } = await runToEnd(process.execPath, [join(folder, 'readme.mts')], settings);
    assert.equal(code, 0, stderr);
    const said = 'A table for two, please.';
    const chat = `2 ongoing\ncaller ${said}\nagent ${said}\n2\n1\n`;
    assert.match(stdout, /^agt_\w+ 1\nnull\n1 false\nagt_\w+ Reception\n[\s\S]*\n\[ 'must not be empty' \]\n$/);
    assert.ok(stdout.includes(chat), stdout);
  });
});
