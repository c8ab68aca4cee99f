import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { toolMethods } from './settings/tools.ts';

export const toolTestOutcomes = [
  'succeeded',
  'http_error',
  'redirect',
  'timeout',
  'connection_failed',
  'tls_failed',
  'address_not_allowed',
  'response_not_usable',
  'not_sent',
] as const;

const request = z
  .strictObject({
    method: z.enum(toolMethods).meta({ description: 'The HTTP method.', examples: ['GET'] }),
    url: z
      .string()
      .max(2048)
      .meta({ description: 'The URL with the arguments in it.', examples: ['https://shop.example.com/orders/A-1001'] }),
    headers: z.record(z.string(), z.string().max(16_384)).meta({
      description: 'The headers. Secrets are named, as in `{{secrets.SHOP_TOKEN}}`, and their values were sent.',
      examples: [{ authorization: 'Bearer {{secrets.SHOP_TOKEN}}', accept: 'application/json, text/plain' }],
    }),
    body: z
      .string()
      .nullable()
      .meta({ description: 'The body. Null for GET and DELETE.', examples: [null] }),
  })
  .meta({ id: 'AgentToolRequest', description: 'The request that was sent to the server of the tool.' });

const response = z
  .strictObject({
    statusCode: z
      .int()
      .min(100)
      .max(999)
      .meta({ description: 'The status of the response.', examples: [200] }),
    contentType: z
      .string()
      .max(255)
      .nullable()
      .meta({ description: 'Its `Content-Type`. Null: it has none.', examples: ['application/json'] }),
    body: z
      .string()
      .nullable()
      .meta({
        description:
          'The first 32 KiB of the response, as text, with `[SECRET]` in place of secrets. Null: it is empty.',
        examples: ['{"status":"shipped"}'],
      }),
    isTruncated: z.boolean().meta({ description: 'Whether the response is longer.', examples: [false] }),
  })
  .meta({ id: 'AgentToolResponse', description: 'The response of the server of the tool.' });

const toolTest = z
  .strictObject({
    toolCallId: z
      .string()
      .max(64)
      .meta({ description: 'The id of the tool call.', examples: ['tcl_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    outcome: z.enum(toolTestOutcomes).meta({
      description:
        '`succeeded`; otherwise what went wrong. `response_not_usable`: it is compressed, too long or nested too deep. `not_sent`: there was no request, because of a secret.',
      examples: ['succeeded'],
    }),
    request: request.nullable().meta({ description: 'The request. Null: nothing was sent.' }),
    response: response.nullable().meta({ description: 'The response. Null: there was none.' }),
    durationMs: z
      .int()
      .min(0)
      .meta({ description: 'How long it took, in milliseconds.', examples: [84] }),
    isError: z.boolean().meta({
      description: 'Whether the tool has failed. A conversation flow then goes on with `otherwise`.',
      examples: [false],
    }),
    modelText: z.string().meta({
      description: 'What a language model would be given as the result, word for word.',
      examples: ['{"status":"shipped"}'],
    }),
  })
  .meta({ id: 'AgentToolTest', description: 'What a call of a tool came to.' });

export type ToolTest = z.infer<typeof toolTest>;

const agentId = z
  .string()
  .meta({ description: 'The id of the agent.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });

export const testAgentTool = defineOperation({
  id: 'agents.tools.test',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/agents/{id}/tools/{name}/test',
  scope: 'agents:write',
  risk: 'sensitive',
  rateLimit: { name: 'tool-tests', requests: 20, windowSeconds: 60 },
  summary: 'Test a tool of an agent',
  description:
    'Calls a tool of the latest version with these arguments, as in a call: through the same checks of addresses, with its secrets, and signed. `callId` is `call_test`, and `variables` is empty. Returns what was sent, what came back, and what a language model would see; the response is 200 even if the tool has failed. Nothing is stored except the entry in the audit trail. 422: the arguments do not match the parameters, the agent could not be published because of this tool, or the tool runs in the page of a web call. The response takes up to 30 seconds.',
  params: z.object({
    id: agentId,
    name: z.string().meta({ description: 'The name of the tool.', examples: ['find_order'] }),
  }),
  query: z.object({}),
  body: z
    .object({
      arguments: z
        .record(z.string(), z.unknown())
        .default({})
        .meta({ description: 'The arguments, as a model would send them.', examples: [{ number: 'A-1001' }] }),
    })
    .meta({ id: 'TestAgentTool', description: 'The arguments to call a tool with.' }),
  isBodyOptional: true,
  bodyExample: { arguments: { number: 'A-1001' } },
  success: { status: 200, description: 'What the call of the tool came to.', body: toolTest },
});
