import type { Reply } from '../connection.ts';
import type { Random } from '../random.ts';
import type { DocumentedOperation } from './document.ts';

/** A resource that the service created, for later requests. */
export interface Resource {
  readonly id: string;
  etag: string | undefined;
  fields: Readonly<Record<string, unknown>>;
}

const maxResources = 120;
const maxAddresses = 50;

/** Collects ids, versions, ETags and next-page links from responses, for later requests. */
export class Harvest {
  readonly #resources = new Map<string, Map<string, Resource>>();
  readonly #nextAddresses = new Map<string, string[]>();

  /** Only uses resources created here, so that the campaign never changes what it depends on, such as its key. */
  learn(operation: DocumentedOperation, reply: Reply, body: unknown): void {
    const fields = body as Readonly<Record<string, unknown>>;
    const { id } = fields;
    const pool = this.#poolOf(operation.collection);
    if (typeof id === 'string') {
      const known = pool.get(id);
      if (operation.method === 'DELETE') pool.delete(id);
      else if (reply.status === 201) pool.set(id, { id, etag: reply.headers.get('etag'), fields });
      else if (known !== undefined && operation.method !== 'GET') {
        known.etag = reply.headers.get('etag');
        known.fields = fields;
      }
    }
    const next = /^<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    if (next !== undefined) {
      const addresses = this.#nextAddresses.get(operation.id) ?? [];
      addresses.push(next);
      if (addresses.length > maxAddresses) addresses.shift();
      this.#nextAddresses.set(operation.id, addresses);
    }
  }

  resource(collection: string, random: Random): Resource | undefined {
    const pool = this.#poolOf(collection);
    return pool.size === 0 ? undefined : random.pick([...pool.values()]);
  }

  nextAddress(operation: DocumentedOperation, random: Random): string | undefined {
    const addresses = this.#nextAddresses.get(operation.id);
    return addresses === undefined ? undefined : random.pick(addresses);
  }

  /** Removes and returns the oldest resource of a collection if there are too many. */
  takeSurplus(collection: string): Resource | undefined {
    const pool = this.#poolOf(collection);
    const oldest = pool.size > maxResources ? pool.values().next().value : undefined;
    if (oldest !== undefined) pool.delete(oldest.id);
    return oldest;
  }

  #poolOf(collection: string): Map<string, Resource> {
    let pool = this.#resources.get(collection);
    if (pool === undefined) {
      pool = new Map();
      this.#resources.set(collection, pool);
    }
    return pool;
  }
}
