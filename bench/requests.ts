import { readFileSync } from 'node:fs';
import { agentRequest } from './documents.ts';

/** The length of an agent id. */
export const idBytes = 34;

/** Which requests a connection sends. Plain data, because it is sent to the process of the load generator. */
export type RequestPlan =
  /**
   * Random ids. The file contains them one after another. If they are spread over workspaces, the other file contains
   * the key number of each, in 16 bits.
   */
  | { kind: 'get'; path: string; keys: readonly string[]; idsFile: string; ownersFile: string | null }
  /** Random URLs of these. `owners` contains the key number of each, if they need different keys. */
  | { kind: 'addresses'; keys: readonly string[]; addresses: readonly string[]; owners: readonly number[] | null }
  /** New agents, starting with this number. */
  | { kind: 'create'; path: string; keys: readonly string[]; firstNumber: number }
  /** Reads an agent once and then changes it repeatedly, each time with the ETag of the previous response. */
  | { kind: 'update'; path: string; keys: readonly string[]; ids: readonly string[] };

/** The bytes of the next request; `head` is the header section of the previous response, if the plan needs it. */
export type NextRequest = (head: string | undefined) => Buffer;

export interface RequestSource {
  readonly wantsHeads: boolean;
  forConnection(connection: number): NextRequest;
}

/**
 * Requests are built in advance or patched in place: the load generator must be cheaper than what it measures. In a
 * single workspace each connection has its own key, so that the default rate limit stays enabled.
 */
export function requestsOf(plan: RequestPlan): RequestSource {
  if (plan.kind === 'get') return getRequests(plan);
  if (plan.kind === 'addresses') return addressRequests(plan);
  return plan.kind === 'create' ? createRequests(plan) : updateRequests(plan);
}

function getRequests({ path, keys, idsFile, ownersFile }: RequestPlan & { kind: 'get' }): RequestSource {
  const ids = readFileSync(idsFile);
  const count = ids.length / idBytes;
  const owners = ownersFile === null ? null : new Uint16Array(new Uint8Array(readFileSync(ownersFile)).buffer);
  const keyBytes = keys.map((key) => Buffer.from(key));
  return {
    wantsHeads: false,
    forConnection: (connection) => {
      const key = keys[connection % keys.length] as string;
      const request = Buffer.from(head('GET', `${path}/${'-'.repeat(idBytes)}`, key));
      const idPlace = request.indexOf('-'.repeat(idBytes));
      const keyPlace = request.indexOf(key);
      return () => {
        const index = Math.floor(Math.random() * count);
        ids.copy(request, idPlace, index * idBytes, (index + 1) * idBytes);
        if (owners !== null) keyBytes[owners[index] as number]?.copy(request, keyPlace);
        return request;
      };
    },
  };
}

function addressRequests({ keys, addresses, owners }: RequestPlan & { kind: 'addresses' }): RequestSource {
  return {
    wantsHeads: false,
    forConnection: (connection) => {
      const requests = addresses.map((address, index) => {
        const key = keys[owners?.[index] ?? connection % keys.length] as string;
        return Buffer.from(head('GET', address, key));
      });
      return () => requests[Math.floor(Math.random() * requests.length)] as Buffer;
    },
  };
}

const preparedCreates = 512;

function createRequests({ path, keys, firstNumber }: RequestPlan & { kind: 'create' }): RequestSource {
  return {
    wantsHeads: false,
    forConnection: (connection) => {
      const key = keys[connection % keys.length] as string;
      const requests = Array.from({ length: preparedCreates }, (_, index) => {
        const agent = agentRequest(firstNumber + connection * preparedCreates + index);
        const body = JSON.stringify(agent);
        return Buffer.from(`${headWithBody('POST', path, key, Buffer.byteLength(body))}${body}`);
      });
      let next = 0;
      return () => requests[next++ % preparedCreates] as Buffer;
    },
  };
}

function updateRequests({ path, keys, ids }: RequestPlan & { kind: 'update' }): RequestSource {
  return {
    wantsHeads: true,
    forConnection: (connection) => {
      const key = keys[connection % keys.length] as string;
      const address = `${path}/${ids[connection % ids.length]}`;
      let isFaster = false;
      return (previous) => {
        if (previous === undefined) return Buffer.from(head('GET', address, key));
        const etag = /\r\netag: (.*)\r\n/i.exec(previous)?.[1];
        if (etag === undefined) throw new Error('an answer without an ETag');
        isFaster = !isFaster;
        const body = `{"voiceSpeed":${isFaster ? 1.2 : 1.1}}`;
        return Buffer.from(`${headWithBody('PATCH', address, key, body.length, `if-match: ${etag}\r\n`)}${body}`);
      };
    },
  };
}

function head(method: string, address: string, key: string, more = ''): string {
  return `${method} ${address} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n${more}\r\n`;
}

function headWithBody(method: string, address: string, key: string, length: number, more = ''): string {
  return head(method, address, key, `content-type: application/json\r\ncontent-length: ${length}\r\n${more}`);
}
