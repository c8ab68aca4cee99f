import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { describeTool } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';

type Json = Record<string, unknown>;

/** The source of a tool's arguments: each is either defined here or taken from the contract unchanged. */
const sources: Record<string, { operation: string; only?: string[]; own?: string[]; required?: string[] }> = {
  list_agents: { operation: 'agents.list', own: [] },
  search_agents: { operation: 'agents.list', required: ['q'] },
  get_agent: { operation: 'agents.versions.get', required: ['agentId'] },
  get_agent_part: { operation: 'agents.versions.get', own: ['path', 'offset'], required: ['agentId', 'path'] },
  list_agent_versions: { operation: 'agents.versions.list' },
  compare_agent_versions: { operation: 'agents.diff' },
  check_agent: { operation: 'agents.check' },
  simulate_agent: { operation: 'simulations.run' },
  whoami: { operation: 'whoami' },
  create_agent: { operation: 'agents.create' },
  update_agent: {
    operation: 'agents.update',
    own: ['ifMatch', 'changes'],
    required: ['agentId', 'ifMatch', 'changes'],
  },
  duplicate_agent: { operation: 'agents.duplicate' },
  publish_agent: { operation: 'agents.publish', own: ['ifMatch'], required: ['agentId', 'ifMatch'] },
  restore_agent_version: {
    operation: 'agents.versions.restore',
    own: ['ifMatch'],
    required: ['agentId', 'ifMatch', 'version'],
  },
  read_transcript: { operation: 'calls.transcript.get', own: ['fromTurn'] },
  list_webhook_deliveries: {
    operation: 'webhooks.deliveries.list',
    // The size of a page is fixed, because deliveries can be long.
    only: ['id', 'cursor', 'status'],
    required: ['webhookId'],
  },
  list_phone_numbers: { operation: 'phoneNumbers.list', only: ['cursor', 'agentId', 'q'] },
  get_phone_number: { operation: 'phoneNumbers.get' },
  list_knowledge_bases: { operation: 'knowledgeBases.list', only: ['cursor', 'q'] },
  search_knowledge_base: {
    operation: 'knowledgeBases.search',
    only: ['id', 'query', 'limit'],
    required: ['knowledgeBaseId', 'query'],
  },
  // The names of metrics are in the description, once.
  query_analytics: {
    operation: 'analytics.query',
    only: ['range', 'timeZone', 'interval', 'groupBy', 'filter', 'includeDrafts', 'compare', 'order', 'limit'],
    own: ['metrics'],
    required: ['range', 'metrics'],
  },
  list_workflows: { operation: 'workflows.list', only: ['cursor', 'enabled', 'agentId'] },
  get_workflow: { operation: 'workflows.get' },
  // The size of a page is fixed, because runs can be long.
  list_workflow_runs: { operation: 'workflows.runs.list', only: ['cursor', 'workflowId', 'callId', 'status'] },
  get_workflow_run: { operation: 'workflows.runs.get' },
  // The schema of a definition is longer than all of the others.
  test_workflow: { operation: 'workflows.test', only: ['callId', 'workflowId'], own: ['definition', 'mocks'] },
  place_call: {
    operation: 'calls.create',
    only: ['agentId', 'agentVersion', 'variables', 'fromPhoneNumberId', 'to'],
    required: ['agentId', 'fromPhoneNumberId', 'to'],
  },
  hang_up: { operation: 'calls.end' },
  start_chat: {
    operation: 'calls.create',
    // A model needs no others to try an agent.
    only: ['agentId', 'agentVersion', 'variables', 'toolResults'],
    required: ['agentId'],
  },
  // Only the opening has no text.
  send_chat_message: { operation: 'calls.messages.create', required: ['callId', 'text'] },
  end_chat: { operation: 'calls.end' },
};

/** What the tools that write do: whether they are destructive, idempotent, and reach other systems. */
const effects: Record<string, readonly [isDestructive: boolean, isIdempotent: boolean, isOpenWorld: boolean]> = {
  create_agent: [false, false, false],
  update_agent: [true, true, false],
  duplicate_agent: [false, false, false],
  publish_agent: [true, true, false],
  restore_agent_version: [true, true, false],
  // The agent calls its tools, which may do anything.
  start_chat: [true, false, true],
  send_chat_message: [true, false, true],
  // A caller may be cut off.
  end_chat: [true, true, false],
  place_call: [true, false, true],
  hang_up: [true, true, false],
};

const idNames: Readonly<Record<string, string>> = {
  calls: 'callId',
  webhooks: 'webhookId',
  'phone-numbers': 'phoneNumberId',
  'knowledge-bases': 'knowledgeBaseId',
  workflows: 'workflowId',
  'workflow-runs': 'runId',
};
const idNameOf = ({ path }: Operation): string => idNames[path.split('/')[3] ?? ''] ?? 'agentId';

describe('the tool schemas', () => {
  for (const tool of tools) {
    const { inputSchema, outputSchema, annotations, title } = describeTool(tool);
    it(`${tool.name} accepts what the contract accepts`, () => {
      const source = sources[tool.name];
      assert.ok(source, 'add the source of its arguments to this table');
      const operation = operationWithId(source.operation);
      const contract = schemaOf(
        z.object({ ...operation.params.shape, ...operation.query.shape, ...operation.body?.shape }),
      );
      const properties = { ...inputSchema.properties } as Json;
      for (const name of source.own ?? []) delete properties[name];
      if (tool.name === 'update_agent') {
        assert.deepEqual(inputSchema.properties?.changes, described(operation.body as z.ZodObject));
        for (const name of Object.keys(operation.body?.shape ?? {})) delete contract.properties[name];
      }
      if (tool.name === 'list_agents') delete contract.properties.q;
      for (const name of Object.keys(contract.properties)) {
        if (source.only?.includes(name) === false) delete contract.properties[name];
      }
      // A model has no recording of another one.
      if (tool.name === 'simulate_agent') delete contract.properties.cassette;
      // It says of what it is the id, and is never empty: the request would have a different path.
      const idName = idNameOf(operation);
      const { id, ...others } = contract.properties;
      if (id !== undefined) contract.properties = { ...others, [idName]: { ...(id as Json), minLength: 1 } };
      assert.deepEqual(properties, contract.properties);
      assert.deepEqual(
        [...(inputSchema.required ?? [])].sort(),
        [...(source.required ?? contract.required ?? [])].map((name) => (name === 'id' ? idName : name)).sort(),
      );
    });

    it(`${tool.name} is described without references and allows additional fields in its results`, () => {
      assert.doesNotMatch(JSON.stringify([inputSchema, outputSchema]), /\$ref|\$defs|\$schema/);
      assert.doesNotMatch(JSON.stringify(outputSchema), /additionalProperties/);
    });

    it(`${tool.name} has the right annotations`, () => {
      const { kind, condition } = operationWithId(sources[tool.name]?.operation ?? '');
      const isWrite = kind !== 'read';
      assert.equal(tool.isWrite, isWrite);
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
      const [isDestructive, isIdempotent, isOpenWorld] = isWrite ? (effects[tool.name] ?? []) : [false, true, false];
      assert.deepEqual(
        { readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
        {
          readOnlyHint: !isWrite,
          destructiveHint: isDestructive,
          idempotentHint: isIdempotent,
          openWorldHint: isOpenWorld,
        },
      );
      // Ending a call overwrites nothing.
      if (condition === 'If-Match' && !['end_chat', 'hang_up'].includes(tool.name))
        assert.ok('ifMatch' in (inputSchema.properties ?? {}), 'changes must be safe');
      assert.ok(title.length > 0 && tool.description.length > 0);
    });

    it(`${tool.name} names ids by their resource, in its arguments and in its results`, () => {
      assert.ok(!('id' in (inputSchema.properties ?? {})));
      assert.ok(!('id' in (outputSchema.properties ?? {})));
    });
  }

  it('include no tool for what cannot be undone, for keys, or for what agents have themselves', () => {
    const covered = new Set(tools.map(({ operation }) => operation.id));
    const others = operations.filter(({ id }) => !covered.has(id)).map(({ id }) => id);
    assert.deepEqual(
      others.filter((id) => id.startsWith('agents.')),
      // A tool is tested by a person, who knows what it does: a model tries it in a chat.
      ['agents.delete', 'agents.versions.get', 'agents.states.list', 'agents.tools.test'],
    );
    assert.ok(tools.every(({ operation }) => operation.risk !== 'destructive' && !operation.id.startsWith('apiKeys.')));
  });

  it('are short enough to be sent with every prompt', () => {
    const inputs = tools.map((tool) => ({ ...describeTool(tool), outputSchema: undefined }));
    assert.ok(JSON.stringify(inputs).length < 60_000);
    assert.ok(JSON.stringify(tools.map(describeTool)).length < 102_000);
  });
});

function operationWithId(id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id);
  assert.ok(operation, `there is no operation ${id}`);
  return operation;
}

function schemaOf(schema: z.ZodObject): { properties: Json; required?: string[] } {
  const { $defs: definitions = {}, ...own } = z.toJSONSchema(schema, { io: 'input' });
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: reference, ...rest } = value as Json;
    const target = typeof reference === 'string' ? definitions[reference.replace('#/$defs/', '')] : {};
    return Object.fromEntries(Object.entries({ ...target, ...rest }).map(([name, part]) => [name, replaced(part)]));
  };
  return replaced(own) as { properties: Json; required?: string[] };
}

/** Schemas with an id are definitions. */
function described(schema: z.ZodObject): unknown {
  return schemaOf(z.object({ schema })).properties.schema;
}
