import { z } from 'zod';
import { text } from '../../text.ts';
import { integer } from '../ranges.ts';

export const maxTools = 20;
export const maxParametersBytes = 16 * 1024;

/** Tools that end the reply of a model. */
export const endingToolNames = ['end_call', 'wait'] as const;
/** Tools that act on the line of a phone call, and return a result to the model. */
export const phoneToolNames = ['transfer_call', 'press_keys', 'do_not_call_again'] as const;
/** No tool of an agent can have one of these names. */
const builtInToolNames: readonly string[] = [...endingToolNames, ...phoneToolNames];

/** Headers that the service sets itself, or that change how a request is transmitted. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);

const sentence = text({ min: 1, max: 2000 });

const headers = z
  .record(z.string(), text({ max: 4096 }))
  .superRefine((given, context) => {
    const names = Object.keys(given);
    if (names.length > 20) context.addIssue({ code: 'custom', message: 'must have at most 20 headers' });
    const seen = new Set<string>();
    for (const name of names) {
      const message = seen.has(name.toLowerCase()) ? 'must be unique' : headerIssue(name, given[name] as string);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      seen.add(name.toLowerCase());
    }
  })
  .meta({
    description:
      'Additional request headers. A value can contain `{{secrets.NAME}}`, the value of a secret of the workspace.',
    examples: [{ Authorization: 'Bearer {{secrets.SHOP_TOKEN}}' }],
  });

function headerIssue(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return 'is not the name of a header';
  const lower = name.toLowerCase();
  if (ownHeaders.has(lower) || lower.startsWith('proxy-')) return 'is set by the service';
  if (!/^[\t\x20-\x7e]*$/.test(value)) return 'must consist of printable ASCII characters';
  const rest = value.replaceAll(/\{\{secrets\.[A-Z][A-Z0-9_]{0,63}\}\}/g, '');
  if (rest.includes('{{')) {
    return 'may contain {{secrets.NAME}} only, with a name of capital letters, digits and underscores';
  }
  // Agents can be read, compared and exported, so a credential must not be part of one.
  if (lower === 'authorization' && rest === value) return 'must contain a secret, as in Bearer {{secrets.NAME}}';
  return undefined;
}

export const tool = z
  .strictObject({
    name: text({ max: 64 })
      .refine(
        (name) => /^[a-z][a-z0-9_]{0,63}$/.test(name),
        'must start with a lowercase letter and consist of lowercase letters, digits and underscores, up to 64',
      )
      .refine((name) => !builtInToolNames.includes(name), 'is the name of a tool that is built in')
      .meta({ description: 'The name that the model and the flow use to call the tool.', examples: ['book'] }),
    description: text({ min: 1, max: 1000 }).meta({
      description: 'What the tool does and when to use it, for the model.',
      examples: ['Books an appointment.'],
    }),
    parameters: z
      .record(z.string(), z.unknown())
      .refine(
        (schema) => new TextEncoder().encode(JSON.stringify(schema)).length <= maxParametersBytes,
        'must be at most 16 KiB as JSON',
      )
      .meta({
        description: 'The arguments, as a JSON Schema of type `object`.',
        examples: [{ type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] }],
      }),
    url: text({ min: 1, max: 2048 })
      .optional()
      .meta({ description: 'The URL to call.', examples: ['https://shop.example.com/tools/book'] }),
    method: z
      .enum(['POST', 'PUT', 'PATCH'])
      .optional()
      .meta({ description: 'The HTTP method.', default: 'POST', examples: ['POST'] }),
    timeoutMs: integer(500, 30_000)
      .optional()
      .meta({ description: 'The timeout of the tool, in milliseconds.', default: 10_000, examples: [10_000] }),
    say: z
      .union([sentence, z.array(sentence).min(1).max(20)], { error: 'must be a sentence, or a list of 1 to 20' })
      .optional()
      .meta({
        description: 'What the agent says while the tool runs: a sentence, or a list to rotate through.',
        examples: ['少々お待ちください。'],
      }),
    headers: headers.optional(),
    where: z
      .enum(['server', 'client'])
      .optional()
      .meta({
        description: 'Where the tool runs: on your server, or in the page of a web call.',
        default: 'server',
        examples: ['server'],
      }),
  })
  .meta({ description: 'A tool that the agent can use in a call.' });

export type ToolSetting = z.infer<typeof tool>;

export const tools = z.array(tool).max(maxTools).meta({ description: 'The tools that the agent can use in a call.' });

/**
 * What the schema cannot say about a list of tools: it stops at the first level that has issues, and every issue is to be
 * reported at once. Takes anything, and says nothing about what the schema rejects.
 */
export function toolListIssues(list: unknown): { readonly path: PropertyKey[]; readonly message: string }[] {
  const names = new Set<unknown>();
  return (Array.isArray(list) ? list : []).flatMap((item: unknown, index) => {
    if (typeof item !== 'object' || item === null) return [];
    const { name, url, where } = item as Readonly<Record<string, unknown>>;
    const issues = [];
    if (typeof name === 'string' && names.has(name)) issues.push({ path: [index, 'name'], message: 'must be unique' });
    names.add(name);
    if (where === 'client') {
      const given = ['url', 'method', 'headers'].filter((field) => Object.hasOwn(item, field));
      const message = 'is not allowed for tools that run on the client';
      issues.push(...given.map((field) => ({ path: [index, field], message })));
    } else if (url === undefined) {
      issues.push({ path: [index, 'url'], message: 'is required for tools that run on a server' });
    }
    return issues;
  });
}
