import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { readAgentFile } from '../../../src/cli/as-code/agent-file.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import type { Flow, Skill } from '../../../src/contract/agents/settings/flow.ts';
import { type SimulationScript, simulationScript } from '../../../src/contract/simulations/script.ts';
import { parseSteps } from '../../../src/contract/simulations/steps.ts';
import { exploreFlow } from '../../../src/voice/engines/flow/explore.ts';
import { defaultStart, prepareSimulation } from '../../../src/voice/simulation/prepare.ts';
import { runSimulations } from '../../../src/voice/simulation/report.ts';

const folder = new URL('../../../examples/', import.meta.url);
const seeds = 8;

function agentOf(example: string): Agent {
  const file = readAgentFile('agent.yaml', readFileSync(new URL(`${example}/agent.yaml`, folder)), 'yaml');
  assert.deepEqual(file.issues, []);
  return file.content as unknown as Agent;
}

function scriptsOf(example: string): (SimulationScript & { readonly name: string })[] {
  const simulations = new URL(`${example}/simulations/`, folder);
  return readdirSync(simulations).map((name) => {
    const script = simulationScript.parse(parse(readFileSync(new URL(name, simulations), 'utf8')));
    return { ...script, name };
  });
}

function reportOf(agent: Agent, script: SimulationScript, runs = 1) {
  const { steps, issues } = parseSteps(script.steps);
  assert.deepEqual(issues, []);
  const report = runSimulations(prepareSimulation(agent, script, steps), { runs, seed: 0 });
  assert.ok(report !== null);
  return report;
}

function withSkills(agent: Agent, change: (skill: Skill) => Skill): Agent {
  const { flow, ...settings } = agent.agentSettings as unknown as { flow: Flow };
  return { ...agent, agentSettings: { ...settings, flow: { ...flow, skills: flow.skills.map(change) } } } as Agent;
}

const withoutTool = (agent: Agent) =>
  withSkills(agent, (skill) =>
    skill.type === 'tool'
      ? { id: skill.id, type: 'branch', routes: [], otherwise: skill.next ?? skill.otherwise }
      : skill,
  );

/** Ways to break an agent that its simulations should notice. */
const breaks: Readonly<Record<string, (agent: Agent) => Agent>> = {
  'no question has an answer': (agent) =>
    withSkills(agent, (skill) =>
      skill.type === 'ask' || skill.type === 'choose'
        ? { id: skill.id, type: 'say', text: skill.text, next: skill.otherwise }
        : skill,
    ),
  'nothing can be said at any time': (agent) => {
    const { flow, ...settings } = agent.agentSettings as unknown as { flow: Flow };
    const { anytime: _, ...rest } = flow;
    return { ...agent, agentSettings: { ...settings, flow: rest } } as Agent;
  },
  'the caller cannot interrupt': (agent) => ({ ...agent, interruptionSensitivity: 0 }),
  'the caller is never reminded': (agent) => ({ ...agent, reminderMaxCount: 0 }),
};

for (const example of ['opening-hours', 'salon', 'survey']) {
  describe(`the simulations of the example ${example}`, () => {
    const agent = agentOf(example);
    const scripts = scriptsOf(example);

    for (const script of scripts) {
      it(`${script.name} passes with ${seeds} seeds, also with noise`, () => {
        for (const noise of [0, 0.2]) {
          const { passed, failures } = reportOf(agent, { ...script, noise }, seeds);
          assert.deepEqual({ passed, failures }, { passed: seeds, failures: [] });
        }
      });
    }

    it('each fail for one of the broken agents', () => {
      const broken = Object.values(breaks).map((change) => change(agent));
      for (const script of scripts) {
        assert.ok(
          broken.some((each) => reportOf(each, script).passed === 0),
          script.name,
        );
      }
    });

    for (const [name, change] of Object.entries(breaks)) {
      it(`notice that ${name}`, () => {
        const broken = change(agent);
        assert.ok(scripts.some((script) => reportOf(broken, script).passed === 0));
      });
    }

    it('are joined by those that explore finds, which pass as well', () => {
      const { flow } = agent.agentSettings as unknown as { flow: Flow };
      const { ends } = exploreFlow(flow, { language: agent.language, now: defaultStart });
      assert.ok(ends.length > 1);
      for (const { skill, script } of ends) {
        assert.deepEqual(reportOf(agent, script as SimulationScript).failures, [], skill);
      }
    });
  });
}

for (const example of ['reception', 'order-status', 'order-status-ja', 'survey-ja']) {
  describe(`the simulations of the example ${example}`, () => {
    for (const script of scriptsOf(example)) {
      it(`${script.name} passes with ${seeds} seeds`, () => {
        const { passed, failures } = reportOf(agentOf(example), script, seeds);
        assert.deepEqual({ passed, failures }, { passed: seeds, failures: [] });
      });
    }
  });
}

describe('the simulations of the salon', () => {
  it('notice that nothing is booked', () => {
    const broken = withoutTool(agentOf('salon'));
    const caught = scriptsOf('salon').filter((script) => reportOf(broken, script).passed === 0);
    assert.deepEqual(
      caught.map(({ name }) => name),
      ['correction.yaml', 'happy-path.yaml', 'taken.yaml'],
    );
  });

  it('name a tool that has no scripted result', () => {
    const script = scriptsOf('salon').find(({ name }) => name === 'happy-path.yaml') as SimulationScript;
    const { failures } = reportOf(agentOf('salon'), { ...script, tools: {} });
    assert.deepEqual(
      failures.map(({ expected, saw }) => ({ expected, saw })),
      [{ expected: 'a scripted result for tool book', saw: 'tool book has no scripted result' }],
    );
  });
});
