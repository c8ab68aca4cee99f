import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { csvLine, parseCsv } from '../../src/cli/knowledge/csv.ts';
import { hitRateInCalls } from '../../src/cli/knowledge/evaluate.ts';
import { useCommandLine } from './support.ts';

const example = join(import.meta.dirname, '..', '..', 'examples', 'faq-desk');

describe('voice-agents knowledge', () => {
  const line = useCommandLine();

  it('adds a folder, replaces changed files, and searches and evaluates them', async () => {
    const created = JSON.parse(await line.output(['knowledge', 'create', 'Desk', '--language', 'en', '--json']));
    const folder = join(line.folder, 'faq');
    mkdirSync(join(folder, 'more'), { recursive: true });
    cpSync(join(example, 'faq'), folder, { recursive: true });
    writeFileSync(join(folder, 'more', 'parking.txt'), 'Parking is free.');
    writeFileSync(join(folder, 'ignored.bin'), 'not added');
    const flat = await line.run(['knowledge', 'add', 'Desk', folder]);
    assert.equal(flat.code, 0, flat.stderr);
    assert.match(flat.stdout, /^DOCUMENT +STATUS +CHUNKS +REMARK\nfaq-\w\w.md +ready +1\d\n/);
    assert.equal(flat.stderr, '2 documents ready.\n');
    writeFileSync(join(folder, 'more', 'parking.txt'), 'Parking costs nothing.');
    const all = await line.run(['knowledge', 'add', created.id, folder, '--recursive', '--json']);
    assert.deepEqual(all.stdout.match(/"name":"[^"]+"/g)?.toSorted(), [
      '"name":"faq-en.md"',
      '"name":"faq-ja.md"',
      '"name":"more/parking.txt"',
    ]);
    assert.match(await line.output(['knowledge', 'list']), /Desk +ready +3 /);
    assert.match(await line.output(['documents', 'list', created.id]), /more\/parking\.txt +file +ready +1/);

    const found = await line.output(['knowledge', 'search', 'Desk', 'return a book', '--limit', '1']);
    assert.match(found, /^0\.\d{3} {2}faq-en\.md › .* › Books\n {2}Q: Can I return a book\?\n {2}A: You can return/);
    assert.equal(await line.output(['knowledge', 'search', 'Desk', 'zzz']), 'Nothing found.\n');

    const questions = join(example, 'questions.csv');
    const evaluated = await line.run(['knowledge', 'evaluate', 'Desk', questions, '--min-hit-rate', '0.5']);
    assert.equal(evaluated.code, 0, evaluated.stderr);
    assert.match(evaluated.stdout, /^MODE +FIRST +FIRST 3 .*\nlexical +\d/);
    const wrong = join(line.folder, 'wrong.csv');
    writeFileSync(wrong, 'query,expected\ncan I return a book,faq-ja.md\nreturns,missing.md\n');
    const missed = await line.run(['knowledge', 'evaluate', 'Desk', wrong, '--limit', '1', '--min-hit-rate', '0.9']);
    assert.equal(missed.code, 1);
    assert.match(
      missed.stdout,
      /can I return a book {2}\(lexical: (outranked|below_min_score)\)\n {2}expected faq-ja\.md\n/,
    );
    assert.match(missed.stdout, /returns {2}\(lexical: not_indexed\)/);
    assert.match(missed.stderr, /hit rate is 0\.000, below 0\.9/);

    assert.equal((await line.run(['knowledge', 'delete', created.id, '--yes'])).code, 0);
    assert.equal((await line.run(['knowledge', 'search', 'Desk', 'book'])).code, 4);
  });

  it('compares the least hit rate with that of the searches of calls', () => {
    const mode = (name: 'lexical' | 'hybrid', hitRate: number) => {
      return { mode: name, hitRate1: 0, hitRate, meanReciprocalRank: 0, hitScores: null, missScores: null };
    };
    assert.equal(hitRateInCalls({ modes: [mode('lexical', 0.9), mode('hybrid', 0.7)] }), 0.7);
    assert.equal(hitRateInCalls({ modes: [mode('lexical', 0.9)] }), 0.9);
  });

  it('exits with 1 if a document failed, and says why', async () => {
    await line.output(['knowledge', 'create', 'Broken', '--json']);
    const files = ['scan.pdf', 'fine.md'].map((name) => join(line.folder, name));
    writeFileSync(files[0] as string, '%PDF-1.4 nothing');
    writeFileSync(files[1] as string, '# Fine\n\nAll is well.');
    const { code, stdout, stderr } = await line.run(['knowledge', 'add', 'Broken', ...files, 'http://10.0.0.1/']);
    assert.equal(code, 1);
    assert.match(stdout, /scan\.pdf +failed +\S/);
    assert.match(stdout, /fine\.md +ready +1\n/);
    assert.match(stdout, /http:\/\/10\.0\.0\.1\/ +(failed|refused)/);
    assert.match(stderr, /1 document ready, 2 failed\./);
  });

  it('writes the questions of calls that found nothing', async () => {
    const { client } = line;
    const base = await client.knowledgeBases.create({ name: 'Small', language: 'en' });
    const made = await client.documents.create(base.id, { name: 'Hours', text: 'We open at ten.' });
    await client.documents.waitUntilSettled(base.id, made.id);
    const agent = await client.agents.create({
      name: 'Knows',
      voiceId: 'slt',
      language: 'en',
      llmModel: 'test-knowledge',
      agentSettings: { knowledge: { bases: [{ id: base.id }] } },
    });
    await client.agents.publish(agent.id);
    const call = await client.calls.create({ type: 'chat', agentId: agent.id });
    await client.calls.messages.create(call.id, { text: 'when do you open' });
    await client.calls.messages.create(call.id, { text: 'zebras, "giraffes", elephants, lions' });
    await client.calls.end(call.id);
    const csv = await line.output(['knowledge', 'evaluate', 'Small', '--from-calls', '7d']);
    assert.equal(csv, 'query,expected\n"zebras, ""giraffes"", elephants, lions",\n');
    assert.equal((await line.run(['knowledge', 'evaluate', '--from-calls', 'week'])).code, 2);
  });

  it('reads the CSV that it writes', () => {
    const rows = [
      ['a', 'b'],
      ['x, "y"', ''],
      ['two\nlines', 'ok'],
    ];
    assert.deepEqual(parseCsv(rows.map(csvLine).join('')), rows);
    assert.throws(() => parseCsv('a,"b'), /line 1/);
  });
});
