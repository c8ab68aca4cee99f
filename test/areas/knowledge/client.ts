import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { Document } from '../../../src/contract/knowledge/document.ts';
import type { KnowledgeBase } from '../../../src/contract/knowledge/knowledge-base.ts';
import { type Answer, type Call, send } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { exchange } from '../../support/exchange.ts';
import type { Service } from '../../support/service.ts';

export type KnowledgeClient = ReturnType<typeof knowledgeClient>;

/** Requests of one workspace. */
export function knowledgeClient(service: Pick<Service, 'url'>, key: string) {
  const ask = (method: string, path: string, call: Call = {}): Promise<Answer> =>
    send(service, method, `/api/v1/knowledge-bases${path}`, { key, ...call });
  const expect = async (status: number, method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await ask(method, path, body === undefined ? {} : { body });
    assert.equal(answer.status, status, answer.text);
    return answer;
  };
  const get = async (baseId: string, id: string): Promise<Document> =>
    (await expect(200, 'GET', `/${baseId}/documents/${id}`)).json;

  return {
    key,
    ask,
    expect,
    get,
    base: async (fields: object = {}): Promise<KnowledgeBase> =>
      (await expect(201, 'POST', '', { name: 'FAQ', ...fields })).json,
    readBase: async (id: string): Promise<KnowledgeBase> => (await expect(200, 'GET', `/${id}`)).json,
    add: async (baseId: string, fields: object): Promise<Document> =>
      (await expect(201, 'POST', `/${baseId}/documents`, fields)).json,
    /** Once no work is left. */
    settled: (baseId: string, id: string): Promise<Document> =>
      eventually(async () => {
        const document = await get(baseId, id);
        return (document.status === 'ready' || document.status === 'failed') && document;
      }),
    chunks: async (baseId: string, id: string) =>
      (await expect(200, 'GET', `/${baseId}/documents/${id}/chunks?limit=200`)).json.items,
    events: async (type: string) =>
      (await send(service, 'GET', `/api/v1/events?type=${type}&limit=200`, { key })).json.items,
  };
}

/** Sends the bytes of a file to where they are expected. */
export async function put(service: { readonly url: string }, document: Document, content: string | Uint8Array) {
  assert.ok(document.upload);
  const { status, text } = await exchange(service.url + document.upload.url, { method: 'PUT', content, headers: {} });
  return { status, json: JSON.parse(text) };
}

export function fileOf(name: string, content: string | Uint8Array) {
  const bytes = Buffer.from(content);
  return { file: { name, sizeBytes: bytes.length, sha256: hash('sha256', bytes) } };
}
