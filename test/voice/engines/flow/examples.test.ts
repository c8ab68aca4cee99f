import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { readAgentFile } from '../../../../src/cli/as-code/agent-file.ts';
import { shortened } from '../../../../src/cli/as-code/content.ts';
import { writeText } from '../../../../src/cli/as-code/document.ts';
import { exploreFlow } from '../../../../src/voice/engines/flow/explore.ts';
import { flowIssues } from '../../../../src/voice/engines/flow/validate.ts';
import type { ToolResult } from '../../../../src/voice/tools/tool.ts';
import { PhoneCall } from './phone-call.ts';

const folder = new URL('../../../../examples/', import.meta.url);

interface ExampleAgent {
  readonly language: string;
  readonly beginMessage: string | null;
  readonly reminderTriggerMs: number;
  readonly agentVariables?: readonly { readonly name: string; readonly value: string }[];
  readonly agentSettings: {
    readonly flow: Parameters<typeof exploreFlow>[0];
    readonly tools?: readonly { readonly name: string }[];
  };
}

interface Scripted {
  readonly result?: unknown;
  readonly error?: string;
}

interface Simulation {
  readonly agent: string;
  readonly now: string;
  readonly variables?: Record<string, string>;
  readonly tools?: Record<string, Scripted | Scripted[]>;
  readonly steps: string[];
}

function agentOf(example: string) {
  const bytes = readFileSync(new URL(`${example}/agent.yaml`, folder));
  const file = readAgentFile('agent.yaml', bytes, 'yaml');
  assert.deepEqual(file.issues, []);
  return { text: bytes.toString(), content: file.content, agent: file.content as unknown as ExampleAgent };
}

function callOf(agent: ExampleAgent, { now, variables = {}, tools = {} }: Simulation): PhoneCall {
  const answers = Object.entries(tools).map(([name, scripted]) => {
    const results = [scripted].flat();
    const answer = (): ToolResult => {
      const { error, result } = (results.length > 1 ? results.shift() : results[0]) as Scripted;
      return error === undefined ? { isError: false, result } : { isError: true, code: 'failed', message: error };
    };
    return [name, answer] as const;
  });
  return new PhoneCall(agent.agentSettings.flow, {
    language: agent.language,
    beginMessage: agent.beginMessage,
    agentVariables: Object.fromEntries((agent.agentVariables ?? []).map(({ name, value }) => [name, value])),
    variables,
    now: () => Date.parse(now),
    tools: Object.fromEntries(answers),
  });
}

/** Follows a script on the engine alone: an interruption takes the floor at once, and a long pause is a reminder. */
function follow(agent: ExampleAgent, simulation: Simulation): void {
  const call = callOf(agent, simulation);
  let said = call.open();
  let hasHungUp = false;
  for (const step of simulation.steps) {
    const words = /^(?:say|interrupt after \d+ words) "(.*)"$/.exec(step)?.[1];
    const [, what = '', rest = ''] = /^expect (agent says|tool|variable|end) (.*)$/s.exec(step) ?? [];
    if (words !== undefined) {
      assert.equal(call.ended, undefined, `${step}: the call has ended`);
      said = call.say(words);
    } else if (step.startsWith('pause ')) {
      if (Number.parseInt(step.slice(6), 10) >= agent.reminderTriggerMs) said = call.remind();
    } else if (step === 'hang up') hasHungUp = true;
    else if (what === 'agent says')
      assert.match(said, new RegExp(/^\/(.*)\/(?: within \d+ms)?$/.exec(rest)?.[1] ?? '', 's'), step);
    else if (what === 'tool') assert.ok(hasCall(call, rest), `${step}: ${JSON.stringify(call.tools)}`);
    else if (what === 'variable') {
      const [, name = '', value = ''] = /^(\S+) = (.*)$/.exec(rest) ?? [];
      assert.deepEqual(call.engine.collected()[name], JSON.parse(value), step);
    } else if (what === 'end') {
      assert.equal(hasHungUp ? 'caller_hangup' : call.ended === 'by the agent' && 'agent_hangup', rest, said);
    } else assert.fail(`not a step: ${step}`);
  }
}

function hasCall(call: PhoneCall, expected: string): boolean {
  const [, name, json = '{}'] = /^(\S+) (.*)$/.exec(expected) ?? [];
  const { arguments: values = {}, ...last } = call.tools.at(-1) ?? { name: undefined };
  return last.name === name && Object.entries(JSON.parse(json)).every(([key, value]) => values[key] === value);
}

for (const example of [
  'opening-hours',
  'salon',
  'survey',
  'reception',
  'order-status',
  'order-status-ja',
  'survey-ja',
]) {
  describe(`the example ${example}`, () => {
    const { text, content, agent } = agentOf(example);
    const { flow, tools = [] } = agent.agentSettings;

    it('is written as pull would write it', () => {
      assert.ok(content !== null);
      assert.equal(text, writeText(shortened(content), 'yaml'));
    });

    it('can be published, and has nothing to warn of', () => {
      const variableNames = (agent.agentVariables ?? []).map(({ name }) => name);
      const toolNames = tools.map(({ name }) => name);
      const issues = flowIssues(flow, { toolNames, variableNames, language: agent.language });
      assert.deepEqual(issues, { errors: [], warnings: [] });
    });

    it('is without findings in every situation', () => {
      const { findings, coverage, isComplete } = exploreFlow(flow, {
        language: agent.language,
        now: Date.parse('2026-11-16T01:00:00Z'),
      });
      assert.deepEqual(findings, []);
      assert.deepEqual([coverage.percent, isComplete], [100, true]);
    });

    for (const file of readdirSync(new URL(`${example}/simulations/`, folder))) {
      it(`follows ${file}`, () => {
        const simulation = parse(readFileSync(new URL(`${example}/simulations/${file}`, folder), 'utf8')) as Simulation;
        assert.equal(simulation.agent, '../agent.yaml');
        follow(agent, simulation);
      });
    }
  });
}
