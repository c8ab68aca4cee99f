import type { Socket } from 'node:net';
import type { EmbeddingsConfig } from '../../config.ts';
import type { AccountProvider } from '../../contract/providers/credentials.ts';
import { providersContract } from '../../contract/providers/index.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { Queries } from '../../storage/database.ts';
import type { Clock } from '../../voice/clock.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { Connectors } from './accounts/connectors.ts';
import {
  type Account,
  createWorkspaceProviders,
  type OperatorProviders,
  type WorkspaceProviders,
} from './accounts/workspace-providers.ts';
import { KnownCredentials } from './credentials/known.ts';
import { credentialsRoutes } from './credentials/routes.ts';
import { createCredentialsStore } from './credentials/store.ts';
import { providerRoutes } from './routes.ts';

export interface ProvidersParts<Embeddings> {
  readonly operator: OperatorProviders<Embeddings>;
  readonly newEmbeddings: (config: EmbeddingsConfig, account: Account) => Embeddings;
  /** The guard of outbound connections. */
  readonly connect: (url: string) => Promise<Socket>;
  readonly allowedNetworks: AllowedNetworks;
  readonly clock: Clock;
  /** The embeddings of a workspace will be others, on every instance within a second of the commit. */
  readonly onEmbeddingsChange: (queries: Queries, workspaceId: string) => Promise<void>;
}

export interface Providers<Embeddings> {
  readonly area: Area;
  /** What the next call of a workspace uses. */
  readonly of: (workspaceId: string) => WorkspaceProviders<Embeddings>;
  /** Reads the credentials of all workspaces: to be called before the first call. */
  readonly load: () => Promise<void>;
}

/** With a query, a change is seen within a second on every instance. */
const refreshMs = 500;

/** What recognizes speech, speaks and writes for each workspace, and the accounts for it. */
export function createProviders<Embeddings extends { close(): Promise<void> }>(
  { database, sealer, now }: Kernel,
  parts: ProvidersParts<Embeddings>,
): Providers<Embeddings> {
  const { operator, newEmbeddings, connect, allowedNetworks, clock, onEmbeddingsChange } = parts;
  const store = createCredentialsStore(database, sealer, now);
  const connectors = new Connectors();
  const known = new KnownCredentials({
    store,
    prepare: (changed) => connectors.load(changed.map(({ provider }) => provider)),
  });
  const providers = createWorkspaceProviders({
    known,
    store,
    connectors,
    operator,
    newEmbeddings,
    connect,
    clock,
    now,
  });
  const refresh = (): Promise<void> => known.refresh();

  const onChange = async (queries: Queries, workspaceId: string, provider: AccountProvider): Promise<void> => {
    if (provider === 'embeddings') await onEmbeddingsChange(queries, workspaceId);
    // This process need not wait for its next look. If this one fails, that one reports it.
    queries.atEnd((isCommitted) => {
      if (isCommitted) refresh().catch(() => {});
    });
  };

  const area = defineArea(providersContract, {
    handlers: {
      ...providerRoutes({ refresh, of: providers.of, account: providers.account, store, now }),
      ...credentialsRoutes({ store, allowedNetworks, onChange }),
    },
    tasks: [
      {
        name: 'find changed credentials of providers',
        everyMs: refreshMs,
        run: async () => {
          await refresh();
          return false;
        },
      },
      {
        name: 'close unused connections to providers',
        everyMs: 60_000,
        run: async () => {
          providers.sweep();
          return false;
        },
      },
    ],
    onClose: async () => {
      await Promise.all([providers.close(), operator.speech.close(), operator.embeddings?.close()]);
    },
  });
  return { area, of: providers.of, load: refresh };
}
