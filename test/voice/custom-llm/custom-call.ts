import assert from 'node:assert/strict';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { prepareEngine } from '../../../src/voice/engines/create.ts';
import { ownConnection } from '../../../src/voice/engines/custom-llm/connections.ts';
import type { Engine, EngineCall } from '../../../src/voice/engines/engine.ts';
import { prepareSimulation } from '../../../src/voice/simulation/prepare.ts';
import { ScriptedTools, type ToolScripts } from '../../../src/voice/simulation/scripted-tools.ts';
import { SimulatedCall } from '../../../src/voice/simulation/simulated-call.ts';
import { type ServerBehavior, ServerDouble } from './server-double.ts';

export const startedAt = Date.UTC(2026, 0, 5, 1);

/** A simulated call of an agent whose replies come from a server on the same clock. */
export class CustomCall {
  readonly clock = new VirtualClock();
  readonly server: ServerDouble;
  readonly call: SimulatedCall;
  readonly warnings: { readonly at: number; readonly code: string; readonly message: string }[] = [];
  readonly metadata: unknown[] = [];
  failure: string | null = null;

  constructor(behavior: ServerBehavior, fields: Partial<Agent> = {}, scripts: ToolScripts = {}) {
    const agent = agentWith({
      responseEngine: { type: 'custom_llm', llmWebsocketUrl: 'wss://llm.example.com/agent' },
      language: 'en',
      beginMessage: null,
      reminderMaxCount: 0,
      ...fields,
    });
    this.server = new ServerDouble(this.clock, behavior);
    const create = prepareEngine(agent, false);
    const connection = { open: this.server.open, clock: this.clock, time: () => startedAt + this.clock.now() };
    const setup = {
      ...prepareSimulation(agent, { steps: [] }, []),
      newEngine: (clock: VirtualClock, view: { history(): never[] }) =>
        this.watched(
          create({
            clock,
            startedAt,
            time: () => startedAt + clock.now(),
            variables: { shop: 'Ginza', seats: 4, gone: null },
            defaults: {},
            metadata: { page: '/booking' },
            isSpoken: true,
            llm: null,
            customLlm: {
              connections: ownConnection(connection),
              call: { call_id: 'call_1', call_type: 'web_call' },
            },
            history: view.history,
          }),
        ),
    };
    const tools = new ScriptedTools(this.clock, scripts);
    this.call = new SimulatedCall(setup as never, 1, { clock: this.clock, tools });
    this.call.connect();
  }

  /** The caller speaks, and `ms` pass in total. */
  say(text: string, ms: number): void {
    this.call.speak(text);
    this.pass(ms);
  }

  pass(ms: number): void {
    this.clock.advance(ms);
    assert.equal(this.call.violation, undefined);
  }

  get said(): [role: string, text: string][] {
    return this.call.turns.filter(({ role }) => role !== 'tool').map(({ role, text }) => [role, text]);
  }

  get codes(): string[] {
    return this.warnings.map(({ code }) => code);
  }

  private watched(engine: Engine): Engine {
    const attach = engine.attach?.bind(engine);
    engine.attach = (call: EngineCall) =>
      attach?.({
        ...call,
        warn: (code, message) => {
          this.warnings.push({ at: this.clock.now(), code, message });
          call.warn(code, message);
        },
        metadata: (metadata) => this.metadata.push(metadata),
        fail: (reason, detail) => {
          this.failure = detail;
          call.fail(reason, detail);
        },
      });
    return engine;
  }
}
