import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { searchWords } from './documents.ts';
import { idBytes, type RequestPlan } from './requests.ts';
import type { Seed } from './seed.ts';
import type { Server } from './servers.ts';
import { cursorsOf } from './walk.ts';

/** A workload: a kind of request that is sent repeatedly. */
export interface Work {
  readonly id: string;
  readonly title: string;
  readonly connections: number;
  /** The status of a success. */
  readonly status: number;
  /** Whether background work of the server afterwards counts as well. */
  readonly isUntilIdle?: boolean;
}

export const manyConnections = 64;

function work(id: string, title: string, connections = manyConnections, status = 200): Work {
  return { id, title, connections, status };
}

export const readWorks = [
  work('get', 'get, random ids'),
  work('list-50', 'list 50, random cursors'),
  work('list-200', 'list 200, random cursors'),
  work('first-page', 'list, first page'),
] as const;

/** The same few requests for every size, so that the difference is the cost of the size itself. */
export const warmWorks = [
  work('get-warm', 'get, 1,000 ids that were read before'),
  work('list-50-warm', 'list 50, 20 cursors that were read before'),
] as const;
const warmIds = 1000;
const warmCursors = 20;

export const writeWorks = [
  work('create-64', 'create, 64 connections', manyConnections, 201),
  work('create-1', 'create, 1 connection', 1, 201),
  work('update', 'update with If-Match'),
] as const;

export const allWorks: readonly Work[] = [...readWorks, ...writeWorks];

/** With and without the name index: the difference is the cost of the index. */
export const indexWork: Work = {
  ...work('create-until-rest', 'create, until the server rests', manyConnections, 201),
  isUntilIdle: true,
};

export type Plans = Readonly<Record<string, RequestPlan>>;

const path = '/api/v1/agents';
const maxPage = 200;
/** Enough that random cursors are not the same few, however small the list is. */
const minCursors = 500;
/** Above every seeded number. */
const firstNewNumber = 2_000_000;

/** The requests of each workload for this server and its data; cursors are collected by walking the list. */
export async function plansFor(server: Server, seed: Seed): Promise<Plans> {
  const { keys } = seed;
  const { cursors, owners } = await walkAll(server, seed);
  const pages = (limit: number): RequestPlan => ({
    kind: 'addresses',
    keys,
    addresses: cursors.map((cursor) => `${path}?limit=${limit}&cursor=${cursor}`),
    owners,
  });
  return {
    get: getPlan(seed),
    'list-50': pages(50),
    'get-warm': {
      kind: 'addresses',
      keys,
      addresses: spread(seed.agents, warmIds).map((number) => `${path}/${idAt(seed, number)}`),
      owners: seed.workspaces === 1 ? null : spread(seed.agents, warmIds).map((number) => number % seed.workspaces),
    },
    'list-50-warm': {
      kind: 'addresses',
      keys,
      addresses: spread(cursors.length, warmCursors).map((number) => `${path}?limit=50&cursor=${cursors[number]}`),
      owners: owners === null ? null : spread(cursors.length, warmCursors).map((number) => owners[number] as number),
    },
    'list-200': pages(200),
    'first-page': {
      kind: 'addresses',
      keys,
      addresses: seed.workspaces === 1 ? [path] : keys.map(() => path),
      owners: seed.workspaces === 1 ? null : keys.map((_, index) => index),
    },
    'create-64': createPlan(seed),
    'create-1': createPlan(seed),
    update: { kind: 'update', path, keys, ids: idsToUpdate(seed) },
  };
}

async function walkAll({ port }: Server, { keys, workspaces, agents }: Seed) {
  const cursors: string[] = [];
  const owners: number[] = [];
  const pageSize = Math.min(maxPage, Math.ceil(agents / minCursors));
  for (let owner = 0; owner < workspaces; owner += 1) {
    const found = await cursorsOf({
      port,
      key: keys[owner] as string,
      firstPage: `${path}?limit=${pageSize}`,
      nextPage: (cursor) => `${path}?limit=${pageSize}&cursor=${cursor}`,
      maxPages: agents,
    });
    cursors.push(...found);
    owners.push(...found.map(() => owner));
  }
  return { cursors, owners: workspaces === 1 ? null : owners };
}

/** Up to `maxCount` evenly spaced numbers below `count`. */
function spread(count: number, maxCount: number): number[] {
  const length = Math.min(count, maxCount);
  return Array.from({ length }, (_, index) => Math.floor((index * count) / length));
}

function idAt({ idsFile }: Seed, number: number): string {
  const bytes = Buffer.alloc(idBytes);
  const file = openSync(idsFile, 'r');
  readSync(file, bytes, 0, idBytes, number * idBytes);
  closeSync(file);
  return bytes.toString('latin1');
}

/** One agent per connection, so that no connection changes what another has just read, in the workspace of its key. */
function idsToUpdate({ idsFile, agents, workspaces }: Seed): string[] {
  const ids = readFileSync(idsFile, 'latin1');
  const distance = workspaces === 1 ? Math.floor(agents / manyConnections) : 1;
  return Array.from({ length: manyConnections }, (_, index) => {
    const place = index * distance * idBytes;
    return ids.slice(place, place + idBytes);
  });
}

export function getPlan({ keys, idsFile, ownersFile }: Seed): RequestPlan {
  return { kind: 'get', path, keys, idsFile, ownersFile };
}

export function createPlan({ keys }: Seed): RequestPlan {
  return { kind: 'create', path, keys, firstNumber: firstNewNumber };
}

export interface SearchWork extends Work {
  readonly plan: RequestPlan;
}

const deepestPage = 100;
/** The page size of walks to deep pages: a rare word has only a few small pages. */
const walkLimit: Record<string, number> = { common: 200, rare: 10, absent: 200 };
const lengthNames: Record<string, string> = { one: '1 character', two: '2 characters', many: 'a word' };

/** Every kind of search, each on one connection, to measure its latency. */
export async function searchWorks({ port }: Server, { keys }: Seed): Promise<SearchWork[]> {
  const key = keys[0] as string;
  const works: SearchWork[] = [];
  const add = (id: string, addresses: string[]) => {
    const plan: RequestPlan = { kind: 'addresses', keys, addresses, owners: null };
    works.push({ ...work(`search ${id}`, `search, ${id}`, 1), plan });
  };
  for (const [frequency, lengths] of Object.entries(searchWords)) {
    const limit = walkLimit[frequency];
    for (const [length, words] of Object.entries(lengths) as [string, readonly string[]][]) {
      for (const [index, word] of words.entries()) {
        const name = `${frequency}, ${lengthNames[length]}, ${index === 0 ? 'Latin' : 'Japanese'}`;
        const query = `q=${encodeURIComponent(word)}`;
        add(`${name}, first page`, [`${path}?${query}`]);
        const cursors = await cursorsOf({
          port,
          key,
          firstPage: `${path}?limit=${limit}&${query}`,
          nextPage: (cursor) => `${path}?limit=${limit}&cursor=${cursor}`,
          maxPages: deepestPage,
        });
        const deep = cursors.slice(Math.floor(cursors.length / 2)).map((cursor) => `${path}?limit=50&cursor=${cursor}`);
        if (deep.length > 0) add(`${name}, deep page`, deep);
      }
    }
  }
  return works;
}
