import { secretsContract } from '../../contract/secrets/index.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type SecretUsers, secretRoutes } from './routes.ts';
import { createSecretStore, type SecretStore } from './store.ts';

export interface Secrets extends Pick<SecretStore, 'hosts' | 'open'> {
  readonly area: Area;
}

/** The secrets that tools send in their headers. */
export function createSecrets({ database, sealer, now }: Kernel, usersOf: SecretUsers): Secrets {
  const store = createSecretStore(database, sealer, now);
  const { hosts, open } = store;
  return { area: defineArea(secretsContract, { handlers: secretRoutes(store, usersOf) }), hosts, open };
}
