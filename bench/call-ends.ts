import type { Database, Queries } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { send } from '../test/support/client.ts';
import { createSqliteEngine } from '../test/support/engines.ts';
import { type Service, startService } from '../test/support/service.ts';
import { showProgress } from './progress.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';

const chats = 400;
const messages = 5;

/** What figures add to the transaction that ends a call: chats of a service with them and of one without end in turn. */
export async function measureCallEnds(): Promise<Target> {
  const engine = createSqliteEngine();
  const services = [
    await startService(engine),
    await startService(engine, { open: (location) => withoutFacts(openDatabase(location, () => {})) }),
  ];
  const progress = showProgress(`ending ${chats} chats`, chats);
  const times: [number[], number[]] = [[], []];
  try {
    const keys = await Promise.all(services.map(async (service) => (await service.newKey()).key));
    const agents = await Promise.all(services.map((service, place) => newAgent(service, keys[place] as string)));
    for (let number = 0; number < chats; number += 1) {
      for (const place of number % 2 === 0 ? [0, 1] : [1, 0]) {
        const [service, key, agentId] = [services[place], keys[place], agents[place]] as [Service, string, string];
        times[place as 0 | 1].push(await timeOfEnd(service, key, agentId));
      }
      progress.advanceTo(number);
    }
  } finally {
    progress.end();
    for (const service of services) await service.close();
    await engine.remove();
  }
  const [beside, alone] = times.map(median) as [number, number];
  const note = `median of a request ${beside.toFixed(2)} ms, ${alone.toFixed(2)} ms without`;
  return atMost('analytics: end of a call with its figures, of none', beside / alone, 1.05, '×', note);
}

async function newAgent(service: Service, key: string): Promise<string> {
  const body = { name: 'Reception', voiceId: 'voice-1', llmModel: 'test-echo', prompt: 'Echo.', beginMessage: '' };
  return (await send(service, 'POST', '/api/v1/agents', { key, body })).json.id;
}

async function timeOfEnd(service: Service, key: string, agentId: string): Promise<number> {
  const created = await send(service, 'POST', '/api/v1/calls', {
    key,
    body: { type: 'chat', agentId, agentVersion: 'latest', metadata: { page: '/booking', campaign: 'c-17' } },
  });
  const path = `/api/v1/calls/${created.json.id}`;
  for (let number = 0; number < messages; number += 1) {
    await send(service, 'POST', `${path}/messages`, { key, body: { text: `Message ${number}` } });
  }
  const start = performance.now();
  const ended = await send(service, 'POST', `${path}/end`, { key });
  if (ended.status !== 200) throw new Error(`a chat could not be ended: ${ended.text}`);
  return performance.now() - start;
}

/** The same database, which leaves out what figures need in the transactions of calls. */
function withoutFacts(database: Database): Database {
  const isOfFacts = (sql: string) => sql.includes('call_facts');
  const isRead = (sql: string) => /^SELECT role, latency FROM call_turns|type = 'tool_returned'/.test(sql);
  const limited = (queries: Queries): Queries => ({
    ...queries,
    all: (sql, parameters) => (isRead(sql) ? [] : queries.all(sql, parameters)),
    write: (sql, parameters) => (isOfFacts(sql) ? undefined : queries.write(sql, parameters)),
  });
  return {
    ...database,
    transaction: (work, options) => database.transaction((queries) => work(limited(queries)), options),
  };
}
