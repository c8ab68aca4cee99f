import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type CodeLanguage, codeSample, type SampleRequest } from '../../dashboard/src/pages/agent/code-samples.ts';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { runToEnd } from '../support/process.ts';
import { useService } from '../support/service.ts';

const nasty = [
  `It's "quoted" \\ \\" \\' back\\slash`,
  '$HOME `id` $(id) $' + '{PATH} !! %s %d',
  "JSON\nEOF\n'JSON'\r\n\ttab",
  '予約🍣 ｶﾀｶﾅ \u2028\u2029 \u0001',
  "';alert(1);//</script>",
  '--set',
  'null',
  '1',
].join('\n--\n');

const body = {
  name: `O'Brien $HOME \`id\` "x" 予約🍣`,
  voiceId: 'voice-1',
  beginMessage: nasty,
  responseEngine: { prompt: nasty },
  boostedKeywords: ["it's", '$1', '`x`', '\\n', 'null'],
  agentSettings: { "a'b": nasty, 'x.y=z': [1, null, true, { ü: '' }], valueOf: 1 },
};

describe('the generated code of an agent', () => {
  const service = useService(sqliteEngine());
  let key: string;
  let folder: string;
  before(async () => {
    ({ key } = await service.newKey());
    folder = mkdtempSync(join(tmpdir(), 'voice-agents-code-'));
    // Prints its arguments; the command line has its own tests.
    writeFileSync(
      join(folder, 'voice-agents'),
      `#!${process.execPath}\nconst args = process.argv.slice(2);
const stdin = args.includes('--file') ? require('node:fs').readFileSync(0, 'utf8') : null;
console.log(JSON.stringify({ args, stdin }));\n`,
    );
    chmodSync(join(folder, 'voice-agents'), 0o755);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (language: CodeLanguage, request: SampleRequest) => {
    const code = codeSample(language, request, service.url);
    assert.ok(!code.includes(key) && !code.includes('vak_'), 'it never contains the key');
    const settings = { VOICE_AGENTS_API_KEY: key, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const isProgram = language === 'typescript';
    const entry = pathToFileURL(join(import.meta.dirname, '..', '..', 'sdk', 'src', 'index.ts')).href;
    const file = join(folder, isProgram ? 'program.mts' : 'script.sh');
    writeFileSync(file, isProgram ? code.replace("'voice-agent-sdk'", `'${entry}'`) : code);
    const { code: exitCode, stdout, stderr } = await runToEnd(isProgram ? process.execPath : 'sh', [file], settings);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const newest = async (): Promise<Agent> => (await send(service, 'GET', '/api/v1/agents', { key })).json.items[0];
  const assertContent = (agent: Agent, wanted: typeof body) => {
    assert.equal(agent.name, wanted.name);
    assert.equal(agent.beginMessage, wanted.beginMessage);
    assert.equal(agent.responseEngine.prompt, wanted.responseEngine.prompt);
    assert.deepEqual(agent.boostedKeywords, wanted.boostedKeywords);
    assert.deepEqual(agent.agentSettings, wanted.agentSettings);
  };

  for (const language of ['curl', 'typescript'] as const) {
    it(`creates exactly the agent of the form with ${language}, and changes and publishes it`, async () => {
      await run(language, { kind: 'create', body });
      const { id } = await newest();
      assertContent(await newest(), body);
      const changed = { ...body, name: `'${body.name}'`, beginMessage: `${nasty}!` };
      const { headers } = await send(service, 'GET', `/api/v1/agents/${id}`, { key });
      const ifMatch = headers.get('etag') as string;
      await run(language, {
        kind: 'update',
        id,
        body: { name: changed.name, beginMessage: changed.beginMessage },
        ifMatch,
      });
      assertContent(await newest(), changed);
      assert.match(await run(language, { kind: 'get', id }), new RegExp(id));
      await run(language, { kind: 'publish', id });
      assert.equal((await newest()).isPublished, true);
    });
  }

  it('quotes the document for the shell safely', async () => {
    const { args, stdin } = JSON.parse(await run('cli', { kind: 'create', body }));
    assert.deepEqual(args, ['agents', 'create', '--base-url', service.url, '--file', '-']);
    assert.deepEqual(JSON.parse(stdin), body);
  });

  it('passes a few short fields to the command line as --set and --unset', async () => {
    const patch = { name: body.name, voiceSpeed: 1.2, startSkillId: null, responseEngine: { model: '12' } };
    const ifMatch = `"a'b"`;
    const { args, stdin } = JSON.parse(await run('cli', { kind: 'update', id: 'agt_1', body: patch, ifMatch }));
    assert.equal(stdin, null);
    assert.deepEqual(args, [
      ...['agents', 'update', 'agt_1', '--base-url', service.url, '--if-match', ifMatch],
      ...['--set', `name=${body.name}`, '--set', 'voiceSpeed=1.2', '--unset', 'startSkillId'],
      // As text: without quotes it would be parsed as a number.
      ...['--set', 'responseEngine.model="12"'],
    ]);
  });

  it('treats __proto__ as an ordinary name', () => {
    const hidden = JSON.parse('{"agentSettings":{"__proto__":{"a":1}}}');
    const code = codeSample('typescript', { kind: 'create', body: hidden }, service.url);
    assert.match(code, /\['__proto__'\]: \{/);
  });
});
