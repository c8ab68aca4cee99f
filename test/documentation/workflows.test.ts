import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { endWithTests } from '../support/children.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { blocksOf } from './pasted.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const receivers = [
  { language: 'ts', program: process.execPath, file: 'receiver.mts', skip: false },
  { language: 'python', program: 'python3', file: 'receiver.py', skip: !hasPython && 'there is no python3' },
] as const;

describe('the receivers in docs/workflows.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-receivers-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { language, program, file, skip } of receivers) {
    it(`act once for each key: ${language}`, { skip }, async () => {
      const [block] = blocksOf('docs/workflows.md').filter((one) => one.language === language);
      writeFileSync(join(folder, file), block?.code ?? '');
      const port = await freePort();
      const leads = join(folder, `${language}.db`);
      const env = { PATH: process.env.PATH, CRM_PORT: String(port), CRM_TOKEN: 'token-0000', LEADS_FILE: leads };
      const child = spawn(program, [join(folder, file)], { env, stdio: 'inherit' });
      endWithTests(child);
      const send = async (key: string, body: string, token = 'token-0000') => {
        const headers = { 'idempotency-key': key, authorization: `Bearer ${token}` };
        const response = await fetch(`http://127.0.0.1:${port}/leads`, { method: 'POST', headers, body });
        return [response.status, await response.text()] as const;
      };
      const body = JSON.stringify({ summary: '予約の変更' });
      await eventually(() => send('none', body, 'wrong').catch(() => false), 'the receiver listens');
      assert.equal((await send('run_1.crm', body, 'wrong'))[0], 401);
      const answers = await Promise.all(Array.from({ length: 4 }, () => send('run_1.crm', body)));
      assert.equal(answers[0]?.[0], 200);
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      const [status, text] = await send('run_2.crm', body);
      assert.equal(status, 200);
      assert.notEqual(text, answers[0]?.[1]);
      assert.equal((await send('run_3.crm', 'no JSON'))[0], 400);
      child.kill();
      const database = new DatabaseSync(leads, { readOnly: true });
      const rows = database.prepare('SELECT summary FROM leads').all();
      database.close();
      assert.deepEqual(
        rows.map(({ summary }) => summary),
        ['予約の変更', '予約の変更'],
      );
    });
  }
});
