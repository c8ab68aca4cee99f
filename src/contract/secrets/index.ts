import { z } from 'zod';
import { defineContract } from '../area.ts';
import { defineOperation } from '../operation.ts';
import { onePage } from '../pagination.ts';
import { text } from '../text.ts';
import { secretScopes } from './scopes.ts';

export const maxSecrets = 200;

const none = z.object({});
const name = z.string().meta({ description: 'The name of the secret.', examples: ['SHOP_TOKEN'] });
const time = z.iso.datetime();

export function isSecretName(given: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(given);
}

/** Undefined if it is a host as it appears in a URL, without a port. */
function hostIssue(host: string): string | undefined {
  const isHost =
    /^(?:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])$/i.test(host) &&
    URL.parse(`https://${host}/`)?.hostname === host.toLowerCase();
  return isHost ? undefined : 'must be a host name without scheme, port or path, such as shop.example.com';
}

const host = text({ min: 1, max: 253 })
  .superRefine((given, context) => {
    const message = given === '' ? undefined : hostIssue(given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({
    description: 'A host name.',
    examples: ['shop.example.com'],
    pattern: '^([A-Za-z0-9-]+\\.)*[A-Za-z][A-Za-z0-9-]*$|^[0-9]+(\\.[0-9]+){3}$|^\\[[0-9A-Fa-f:.]+\\]$',
  });

const value = text({ min: 1, max: 4096 })
  .refine((given) => !/[\x00-\x08\x0a-\x1f\x7f]/.test(given), 'must not contain line breaks or control characters')
  .meta({
    description: 'The value. It is never returned.',
    examples: ['0000-EXAMPLE'],
    pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$',
  });

const secret = z
  .strictObject({
    name: name.max(64),
    hosts: z
      .array(
        z
          .string()
          .max(253)
          .meta({ description: 'A host name.', examples: ['shop.example.com'] }),
      )
      .meta({ description: 'The hosts that it may be sent to.', examples: [['shop.example.com']] }),
    createdAt: time.meta({ description: 'When the secret was first set.', examples: ['2026-11-15T09:30:00.000Z'] }),
    updatedAt: time.meta({ description: 'When the secret was last set.', examples: ['2026-11-15T09:30:00.000Z'] }),
  })
  .meta({ id: 'Secret', description: 'A secret that tools use, without its value.' });

export type SecretBody = z.infer<typeof secret>;

const one = { params: z.object({ name }), query: none, body: null } as const;

export const listSecrets = defineOperation({
  id: 'secrets.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/secrets',
  scope: 'secrets:read',
  risk: 'standard',
  summary: 'List secrets',
  description: 'Returns all secrets of the workspace by name, without their values.',
  params: none,
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'All secrets, by name.',
    body: z
      .strictObject({
        items: z.array(secret).meta({ description: 'The secrets, by name.' }),
        pagination: onePage,
      })
      .meta({ id: 'SecretPage', description: 'All secrets of the workspace.' }),
  },
});

export const putSecret = defineOperation({
  ...one,
  id: 'secrets.put',
  kind: 'change',
  method: 'PUT',
  path: '/api/v1/secrets/{name}',
  scope: 'secrets:write',
  risk: 'sensitive',
  summary: 'Set a secret',
  description:
    'Creates a secret, or replaces its value and hosts. Headers of tools use it as `{{secrets.NAME}}`. The name starts with a capital letter and consists of up to 64 capital letters, digits and underscores. The value is encrypted and cannot be read again. It is sent only to the listed hosts: an agent with a tool on another host cannot be published. A workspace can have up to 200 secrets (422).',
  body: z
    .object({
      value,
      hosts: z
        .array(host)
        .min(1)
        .max(10)
        .meta({
          description: 'The host names that the secret may be sent to, exactly as in the URLs of tools, without ports.',
          examples: [['shop.example.com']],
        }),
    })
    .meta({ id: 'PutSecret', description: 'The value of a secret, and where it may be sent.' }),
  bodyExample: { value: '0000-EXAMPLE', hosts: ['shop.example.com'] },
  success: { status: 200, description: 'The secret, without its value.', body: secret },
});

export const deleteSecret = defineOperation({
  ...one,
  id: 'secrets.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/secrets/{name}',
  scope: 'secrets:write',
  risk: 'destructive',
  summary: 'Delete a secret',
  description:
    'Deletes a secret. Fails with 409 while the newest published version of an agent or an enabled workflow uses it.',
  success: {
    status: 200,
    description: 'The secret has been deleted.',
    body: z
      .strictObject({
        name: name.max(64),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedSecret', description: 'Confirms the deletion.' }),
  },
});

export const secretsContract = defineContract({
  tag: { name: 'Secrets', description: 'Values that tools send in their headers and that cannot be read back.' },
  idPrefixes: [],
  scopes: secretScopes,
  operations: [listSecrets, putSecret, deleteSecret],
});
