import assert from 'node:assert/strict';
import { type Answer, type Call, send } from '../../support/client.ts';

/** Requests about the views or the alerts of a workspace. */
export function analyticsClient(service: { url: string }, key: string, resources: 'views' | 'alerts') {
  const ask = (method: string, path: string, call: Omit<Call, 'key'> = {}): Promise<Answer> =>
    send(service, method, `/api/v1/analytics/${resources}${path}`, { key, ...call });
  const expect = async (status: number, method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await ask(method, path, body === undefined ? {} : { body });
    assert.equal(answer.status, status, answer.text);
    return answer;
  };
  return {
    key,
    ask,
    expect,
    create: async (body: object) => (await expect(201, 'POST', '', body)).json,
    read: async (id: string) => (await expect(200, 'GET', `/${id}`)).json,
  };
}
