import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createPostgresServer } from '../../test/support/postgres-server.ts';
import type { Run } from '../campaign.ts';
import type { Amount, Fault, Faults } from './faults.ts';
import { NetworkProxy } from './network-proxy.ts';

/** Few, so that all of them can be used up. */
const maxConnections = 40;

/** A server that stops, terminated sessions, locks, and a network that fails in various ways. */
export async function createPostgresFaults(run: Run<Amount>): Promise<Faults> {
  const { random } = run;
  const server = run.amount.ownServer === 1 ? await createPostgresServer([`max_connections=${maxConnections}`]) : null;
  if (server !== null) run.atEnd(() => server.remove());
  const url = new URL(server?.url ?? (await run.newDatabaseUrl()));
  const name = url.pathname.slice(1);
  const proxy = new NetworkProxy(url);
  await proxy.open();
  run.atEnd(() => proxy.cut());
  const withClient = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const terminate = (client: pg.Client, share: number) =>
    client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = $1 AND application_name = 'voice-agent-service' AND random() < $2`,
      [name, share],
    );

  const faults: Fault[] = [
    {
      name: 'cut off',
      canBeLong: true,
      strike: async (isLong) => {
        await proxy.cut();
        await delay(isLong ? 6000 : random.int(50, 600));
        await proxy.open();
      },
    },
    {
      name: 'silent',
      canBeLong: true,
      strike: async (isLong) => {
        proxy.stall();
        await delay(isLong ? 14_000 : random.int(200, 1500));
        proxy.unstall({ isForgetful: isLong });
      },
    },
    {
      name: 'slow',
      canBeLong: false,
      strike: async () => {
        proxy.delayMs = random.int(20, 150);
        await delay(random.int(300, 1000));
        proxy.delayMs = 0;
      },
    },
    {
      name: 'sessions ended',
      canBeLong: false,
      strike: () =>
        withClient(async (client) => {
          for (let round = random.int(1, 5); round > 0; round -= 1) {
            await terminate(client, random.pick([0.3, 1]));
            await delay(random.int(10, 100));
          }
        }),
    },
    {
      name: 'locked by another client',
      canBeLong: true,
      strike: (isLong) =>
        withClient(async (client) => {
          await client.query('BEGIN');
          await client.query(`LOCK TABLE ${random.pick(['agents', 'audit_log', 'idempotency_keys'])}`);
          await delay(isLong ? 12_000 : random.int(100, 1000));
          await client.query('ROLLBACK');
        }),
    },
    {
      name: 'read-only',
      canBeLong: false,
      strike: () =>
        withClient(async (client) => {
          await client.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
          await terminate(client, 1);
          await delay(random.int(100, 600));
          await client.query('SET default_transaction_read_only = off');
          await client.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
          await terminate(client, 1);
        }),
    },
  ];
  if (server !== null) {
    faults.push(
      ...(['SIGINT', 'SIGQUIT'] as const).map((signal) => ({
        name: signal === 'SIGINT' ? 'stopped' : 'crashed',
        canBeLong: false,
        strike: async () => {
          await server.stop(signal);
          await delay(random.int(0, 500));
          await server.start();
        },
      })),
      {
        name: 'out of connections',
        canBeLong: false,
        strike: async () => {
          const taken = await takeAllConnections(url.href, () => withClient((client) => terminate(client, 1)));
          await delay(random.int(200, 800));
          await Promise.all(taken.map((client) => client.end()));
        },
      },
    );
  }
  return {
    databaseUrl: proxy.url,
    faults,
    doReadsGoOn: false,
    maxAnswerMs: 20_000,
    figures: () => ({}),
  };
}

/** Opens connections until the server has none left, while the service is made to lose its own. */
async function takeAllConnections(url: string, evict: () => Promise<unknown>): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  await evict();
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
    } catch (error) {
      if ((error as { code?: string }).code !== '53300') throw error;
      return taken;
    }
  }
}
