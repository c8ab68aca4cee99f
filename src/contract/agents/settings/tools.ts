import { z } from 'zod';
import { text } from '../../text.ts';
import { integer } from '../ranges.ts';
import { toolUrlIssues } from './tool-url.ts';

export const maxTools = 20;
export const maxParametersBytes = 16 * 1024;
/** As much as a tool may return. */
export const maxExampleBytes = 32 * 1024;

/** How tools are called. With GET and DELETE, the arguments are in the URL; the others have a body. */
export const toolMethods = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const;

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

/** Additional headers of a request. `valueIssue` says what is wrong with the value of a header whose name is valid. */
export function requestHeaders(valueIssue: (name: string, value: string) => string | undefined) {
  return z.record(z.string(), text({ max: 4096 })).superRefine((given, context) => {
    const names = Object.keys(given);
    if (names.length > 20) context.addIssue({ code: 'custom', message: 'must have at most 20 headers' });
    const seen = new Set<string>();
    for (const name of names) {
      const isRepeated = seen.has(name.toLowerCase());
      const message = isRepeated ? 'must be unique' : (nameIssue(name) ?? valueIssue(name, given[name] as string));
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      seen.add(name.toLowerCase());
    }
  });
}

function nameIssue(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return 'is not the name of a header';
  const lower = name.toLowerCase();
  return ownHeaders.has(lower) || lower.startsWith('proxy-') ? 'is set by the service' : undefined;
}

/** What is wrong with the value of a header. `literal`: without what is replaced in it. */
export function headerValueIssue(
  name: string,
  literal: string,
  { hasSecret }: { readonly hasSecret: boolean },
): string | undefined {
  if (!/^[\t\x20-\x7e]*$/.test(literal)) return 'must consist of printable ASCII characters';
  // Agents and workflows can be read, compared and exported, so a credential must not be part of one.
  if (name.toLowerCase() === 'authorization' && !hasSecret)
    return 'must contain a secret, as in Bearer {{secrets.NAME}}';
  return undefined;
}

const headers = requestHeaders((name, value) => {
  const rest = value.replaceAll(/\{\{secrets\.[A-Z][A-Z0-9_]{0,63}\}\}/g, '');
  if (rest.includes('{{')) {
    return 'may contain {{secrets.NAME}} only, with a name of capital letters, digits and underscores';
  }
  return headerValueIssue(name, rest, { hasSecret: rest !== value });
}).meta({
  description:
    'Additional request headers. A value can contain `{{secrets.NAME}}`, the value of a secret of the workspace.',
  examples: [{ Authorization: 'Bearer {{secrets.SHOP_TOKEN}}' }],
});

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
      .meta({
        description:
          'The URL to call. `{name}` in its path or query is replaced by the argument with this name, percent-encoded.',
        examples: ['https://shop.example.com/orders/{number}'],
      }),
    method: z
      .enum(toolMethods)
      .optional()
      .meta({
        description:
          'The HTTP method. GET and DELETE have no body: the arguments that the URL does not name are added to its query.',
        default: 'POST',
        examples: ['GET'],
      }),
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
    example: z
      .unknown()
      .refine(
        (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxExampleBytes,
        'must be at most 32 KiB as JSON',
      )
      .optional()
      .meta({
        description: 'The result in calls of a draft that were created with `toolResults` `example`: any JSON.',
        examples: [{ booked: true }],
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
    const { name, url, where, method, parameters } = item as Readonly<Record<string, unknown>>;
    const issues: { path: PropertyKey[]; message: string }[] = [];
    if (typeof name === 'string' && names.has(name)) issues.push({ path: [index, 'name'], message: 'must be unique' });
    names.add(name);
    if (where === 'client') {
      const given = ['url', 'method', 'headers'].filter((field) => Object.hasOwn(item, field));
      const message = 'is not allowed for tools that run on the client';
      issues.push(...given.map((field) => ({ path: [index, field], message })));
    } else if (url === undefined) {
      issues.push({ path: [index, 'url'], message: 'is required for tools that run on a server' });
    } else if (typeof url === 'string') {
      const found = toolUrlIssues({ url, method, parameters });
      issues.push(...found.map((message) => ({ path: [index, 'url'], message })));
    }
    return issues;
  });
}
