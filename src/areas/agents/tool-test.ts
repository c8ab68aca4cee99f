import type { Agent } from '../../contract/agents/agent.ts';
import type { agentsContract } from '../../contract/agents/index.ts';
import { type ToolSetting, tool as toolSchema } from '../../contract/agents/settings/tools.ts';
import type { ToolTest } from '../../contract/agents/tool-test.ts';
import { notAccepting, notFound, unprocessable } from '../../core/errors.ts';
import { type Issue, throwIssues } from '../../core/issues.ts';
import { signatureHeaders } from '../../core/webhook-signature.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { Guard } from '../../net/guard.ts';
import { OutboundError } from '../../net/outbound-error.ts';
import { withoutSecrets } from '../../net/partner/echoed-secrets.ts';
import { failureOf, outcomeOf } from '../../net/partner/outcome.ts';
import type { PartnerSecret } from '../../net/partner/secrets.ts';
import type { Queries } from '../../storage/database.ts';
import { resultText } from '../../voice/engines/model/model-reply.ts';
import { toolsIn } from '../../voice/settings.ts';
import { defineTool, type ToolDefinition } from '../../voice/tools/definition.ts';
import { callTool, type ToolExchange } from '../../voice/tools/http-request.ts';

/** What calling a tool outside of a call needs from other areas. */
export interface ToolTestParts {
  readonly guard: Guard;
  readonly secrets: (workspaceId: string, names: readonly string[]) => Promise<ReadonlyMap<string, PartnerSecret>>;
  /** Creates the secret that requests of the agent are signed with, if it has none. */
  readonly ensureSigningSecret: (queries: Queries, agent: Agent) => Promise<void>;
  readonly signingSecrets: (workspaceId: string, agentId: string) => Promise<readonly string[]>;
}

export interface ToolTestRouteParts extends ToolTestParts {
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** The latest version, locked until the transaction ends. */
  readonly lock: (queries: Queries, workspaceId: string, id: string) => Promise<Agent>;
  /** What prevents it from being published. */
  readonly publishingIssues: (agent: Agent, queries: Queries) => Promise<readonly Issue[]>;
}

/** In the body of the request, where calls have their id. */
const testCallId = 'call_test';

export function toolTestRoutes(
  parts: ToolTestRouteParts,
): Pick<Handlers<(typeof agentsContract.operations)[number]>, 'agents.tools.test'> {
  const { guard, secrets, newId, now } = parts;

  return {
    'agents.tools.test': async ({ caller: { workspaceId }, params: { id, name }, body, signal, begin, record }) => {
      const begun = await begin(async (queries) => {
        const agent = await parts.lock(queries, workspaceId, id);
        const tool = await testedTool(agent, name, body.arguments, () => parts.publishingIssues(agent, queries));
        await parts.ensureSigningSecret(queries, agent);
        return { resourceId: id, resourceName: agent.name, result: { agent, tool } };
      });
      if (begun.saved !== null) return begun.saved;
      const { agent, tool } = begun.result;
      const toolCallId = newId('tcl');
      const startMs = performance.now();
      const exchange = await callTool(
        {
          guard,
          call: { id: testCallId, agentId: id, agentVersion: agent.version },
          variables: () => ({}),
          sign: async (webhookId, content) => {
            const keys = await parts.signingSecrets(workspaceId, id);
            return { ...signatureHeaders(webhookId, Math.floor(now() / 1000), content, keys) };
          },
          secrets: (names) => secrets(workspaceId, names),
        },
        { tool, url: tool.url, toolCallId, call: { name, arguments: body.arguments } },
        signal,
      );
      if (exchange.failure === 'aborted') throw notAccepting('The service is shutting down.');
      const durationMs = Math.round(performance.now() - startMs);
      const result = { toolCallId, ...testOf(exchange, now()), durationMs };
      return record(async () => ({ body: result, resourceId: id }));
    },
  };
}

/** The tool, if it can be called with these arguments. */
async function testedTool(
  { agentSettings }: Agent,
  name: string,
  given: Readonly<Record<string, unknown>>,
  publishingIssues: () => Promise<readonly Issue[]>,
): Promise<ToolDefinition & { readonly url: string }> {
  const found = toolsIn(agentSettings).find(({ tool }) => tool.name === name);
  if (found === undefined) throw notFound('tool');
  const isOfTool = ({ path: [field, list, index] }: Issue): boolean =>
    field === 'agentSettings' && list === 'tools' && index === found.index;
  throwIssues((await publishingIssues()).filter(isOfTool), unprocessable);
  const tool = defineTool(toolSchema.parse(found.tool) satisfies ToolSetting);
  const { url } = tool;
  if (url === null) throw unprocessable({}, ['the tool runs in the page of a web call']);
  const issues = tool.checkArguments(given);
  throwIssues(
    issues.map(({ path, message }) => ({ path: ['arguments', ...path], message })),
    unprocessable,
  );
  return { ...tool, url };
}

function testOf(
  { request, response, failure, result, secretValues }: ToolExchange,
  now: number,
): Omit<ToolTest, 'toolCallId' | 'durationMs'> {
  const shown = { request: request && { ...request, headers: { ...request.headers } } };
  const told = { isError: result.isError, modelText: resultText(result) };
  if (response === null) {
    const outcome = failure === null ? null : failureOf(new OutboundError(failure));
    return { outcome: outcome?.outcome ?? 'not_sent', ...shown, response: null, ...told };
  }
  const { outcome, statusCode, responseBody } = outcomeOf(response, now);
  const { 'content-type': type } = response.headers;
  return {
    outcome: outcome === 'succeeded' && result.isError ? 'response_not_usable' : outcome,
    ...shown,
    response: {
      statusCode: statusCode ?? response.status,
      contentType: typeof type === 'string' ? withoutSecrets(type, secretValues).slice(0, 255) : null,
      body: responseBody === null ? null : withoutSecrets(responseBody, secretValues),
      isTruncated: response.isTruncated,
    },
    ...told,
  };
}
