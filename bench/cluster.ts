import pg from 'pg';
import { makeKeys } from '../campaigns/keys.ts';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { keysOfOneWorkspace } from './seed.ts';
import { type ProductServer, startProduct } from './servers.ts';

/** Instances on a database of their own. */
export interface Cluster {
  readonly url: string;
  readonly keys: readonly string[];
  start(): Promise<ProductServer>;
}

export async function openCluster(
  postgres: PostgresServer,
  name: string,
  environment: Record<string, string> = {},
): Promise<Cluster> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const location = new URL(postgres.url);
  location.pathname = `/${name}`;
  const wanted = Array.from({ length: keysOfOneWorkspace }, () => ({ workspace: 'bench' }));
  const keys = (await makeKeys(location.href, wanted)).map(({ secret }) => secret);
  const settings = { CALL_CONCURRENCY: '10000', CALL_RATE: 'off', ...environment, DATABASE_URL: location.href };
  return { url: location.href, keys, start: () => startProduct({ keys }, '', settings) };
}
