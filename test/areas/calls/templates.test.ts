import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { parse } from 'yaml';
import { createAgent } from '../../support/client.ts';
import { onSqlite } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { create, on } from './support.ts';

const startedAt = performance.now();
/** The days that are said in the simulations are in the future of this one. */
const now = () => Date.parse('2026-11-16T15:00:00Z') + Math.round(performance.now() - startedAt);
const read = (file: string) => parse(readFileSync(new URL(`../../../examples/${file}`, import.meta.url), 'utf8'));

/** The templates with tools, and those that ask only. Their tools are on servers that do not exist. */
const templates = {
  reception: 'book',
  salon: 'book',
  'order-status': 'order_status',
  'order-status-ja': 'order_status',
  survey: null,
  'survey-ja': null,
};

onSqlite('a template', (engine) => {
  const service = useService(engine, { now });

  for (const [name, tool] of Object.entries(templates)) {
    it(`succeeds offline, with the example results of its tools: ${name}`, async () => {
      const { key } = await service.newKey();
      const { id: agentId } = await createAgent(service, key, read(`${name}/agent.yaml`));
      const { steps } = read(`${name}/simulations/happy-path.yaml`) as { steps: string[] };
      const said = steps.flatMap((step) => /^say "(.*)"$/.exec(step)?.[1] ?? []);
      const { status, json: call } = await create(service, key, { agentId, toolResults: 'example' });
      assert.equal(status, 201, JSON.stringify(call));
      const chat = on(service, key, call.id);
      await chat.say();
      for (const text of said) assert.equal((await chat.say(text)).status, 200, text);
      const ended = await chat.call();
      assert.deepEqual([ended.status, ended.endReason, ended.engine], ['ended', 'agent_hangup', 'flow']);
      const calls = (await chat.turns()).flatMap(({ toolCall }) => toolCall ?? []);
      assert.deepEqual(
        calls.map(({ name: called, isExample, isError }) => [called, isExample, isError]),
        tool === null ? [] : [[tool, true, false]],
      );
    });
  }
});
