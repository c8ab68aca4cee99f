import { isSecretName, type secretsContract } from '../../contract/secrets/index.ts';
import { notFound, resourceInUse, validationFailed } from '../../core/errors.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { Queries } from '../../storage/database.ts';
import type { SecretStore } from './store.ts';

type SecretHandlers = Handlers<(typeof secretsContract.operations)[number]>;

/** The ids of published agents and enabled workflows that use a secret, up to 20 of each. */
export type SecretUsers = (queries: Queries, workspaceId: string, name: string) => Promise<readonly string[]>;

/** As many as an error names. */
const maxUsers = 20;

export function secretRoutes(store: SecretStore, usersOf: SecretUsers): SecretHandlers {
  return {
    'secrets.list': async ({ caller }) => ({
      body: { items: await store.list(caller.workspaceId), pagination: { nextCursor: null } },
    }),

    'secrets.put': async ({ caller, params: { name }, body: { value, hosts }, queries }) => {
      if (!isSecretName(name)) {
        throw validationFailed({
          name: ['must start with a capital letter and consist of capital letters, digits and underscores, up to 64'],
        });
      }
      const exactHosts = [...new Set(hosts.map((host) => host.toLowerCase()))];
      const secret = await store.put(queries, caller.workspaceId, { name, value, hosts: exactHosts });
      return { body: secret, resourceId: name };
    },

    'secrets.delete': async ({ caller: { workspaceId }, params: { name }, queries }) => {
      const secret = isSecretName(name) ? await store.lock(queries, workspaceId, name) : undefined;
      if (secret === undefined) throw notFound('secret');
      const usedBy = await usersOf(queries, workspaceId, name);
      if (usedBy.length > 0) throw resourceInUse('secret', usedBy.slice(0, maxUsers));
      await store.remove(queries, workspaceId, name);
      return { body: { name, deleted: true }, resourceId: name };
    },
  };
}
