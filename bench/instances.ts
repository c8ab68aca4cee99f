import { createPostgresServer } from '../test/support/postgres-server.ts';
import { measureInstanceCosts } from './instance-costs.ts';
import { measureTakeovers } from './takeovers.ts';
import type { Target } from './targets.ts';
import { measureUploads } from './uploads.ts';

/** What several instances cost, how soon one takes over from another, and what they need: object storage. */
export async function measureInstances(): Promise<readonly Target[]> {
  const postgres = await createPostgresServer(['fsync=on']);
  try {
    const costs = await measureInstanceCosts(postgres);
    const takeovers = await measureTakeovers(postgres);
    return [...costs, ...takeovers, ...(await measureUploads())];
  } finally {
    await postgres.remove();
  }
}
