import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildOpenApi } from '../../src/contract/documents/openapi.ts';
import { send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';
import { createProbes, pageOfIds } from './probes/area.ts';
import { probesContract } from './probes/contract.ts';

describe('a query', () => {
  const engine = sqliteEngine();
  let service: Service;
  let key: string;
  let seen: Record<string, unknown> = {};

  before(async () => {
    service = await startService(engine, {
      otherAreas: () => [
        createProbes({
          'probes.list': ({ query, position, nextPage }) => {
            seen = query;
            return nextPage(pageOfIds([position?.after ?? 'first'], position === null ? 'second' : null));
          },
        }),
      ],
    });
    key = (await service.newKey()).key;
  });
  after(() => service.close());

  const list = (query: string) => send(service, 'GET', `/api/v1/probes?${query}`, { key });

  it('may have several values in one parameter, separated by commas', async () => {
    const { status } = await list(
      'status=ongoing,ended&version=1,20&agentId=a%2Cb&successful=false&createdAfter=2026-01-31T09:00:00%2B09:00',
    );
    assert.equal(status, 200);
    assert.deepEqual(seen, {
      limit: 50,
      status: ['ongoing', 'ended'],
      version: [1, 20],
      agentId: ['a', 'b'],
      successful: false,
      createdAfter: Date.UTC(2026, 0, 31, 0, 0, 0),
    });
  });

  it('may have several values in a repeated parameter, also mixed with commas', async () => {
    for (const query of [
      'status=ongoing&version=1&status=ended&version=20',
      'status=ongoing,ended&version=1&version=20',
      'version=1%2C20&status=ongoing%2Cended',
    ]) {
      assert.equal((await list(query)).status, 200, query);
      assert.deepEqual(
        [seen.status, seen.version],
        [
          ['ongoing', 'ended'],
          [1, 20],
        ],
        query,
      );
    }
    for (const [query, messages] of [
      ['status=ongoing&status=gone', ['1: must be one of: queued, ongoing, ended']],
      ['status=&status=ended', ['0: is required']],
      ['status=ended&status=%FF', ['is not valid percent-encoded UTF-8']],
      ['status=%FF&status=ended', ['is not valid percent-encoded UTF-8']],
      [`agentId=${Array(11).fill('a').join('&agentId=')}`, ['must have at most 10 items']],
      ['successful=true&successful=true', ['must be given only once']],
    ] as const) {
      const { status, json } = await list(query);
      assert.equal(status, 400, query);
      assert.deepEqual(Object.values(json.error.details.fieldErrors), [messages], query);
    }
  });

  it('may have a time with any offset, also if its plus sign is not encoded', async () => {
    for (const text of ['2026-01-31T09:00:00+09:00', '2026-01-30T19:00:00.000-05:00', '2026-01-31T00:00:00Z']) {
      assert.equal((await list(`createdAfter=${text}`)).status, 200, text);
      assert.equal(seen.createdAfter, Date.UTC(2026, 0, 31), text);
    }
  });

  it('is rejected for values that are unknown, empty, too many or of another type, all at once', async () => {
    const { status, json } = await list(
      `status=ongoing,,gone,lost&version=1,0x2,0&agentId=${Array(11).fill('a')}&successful=1&createdAfter=yesterday`,
    );
    assert.equal(status, 400);
    assert.deepEqual(json.error.details.fieldErrors, {
      status: [
        '1: is required',
        '2: must be one of: queued, ongoing, ended',
        '3: must be one of: queued, ongoing, ended',
      ],
      version: ['1: must be a number', '2: must be at least 1'],
      agentId: ['must have at most 10 items'],
      successful: ['must be true or false'],
      createdAfter: ['must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z'],
    });
    for (const [query, field] of [
      ['status=', 'status'],
      ['status=ongoing,', 'status'],
      ['status=ongoing,%20ended', 'status'],
      ['agentId=,a', 'agentId'],
      ['successful=', 'successful'],
      ['successful=TRUE', 'successful'],
      ['createdAfter=2026-01-31', 'createdAfter'],
      ['createdAfter=2026-02-30T00:00:00Z', 'createdAfter'],
      ['createdAfter=2026-01-31T09:00:00', 'createdAfter'],
    ] as const) {
      const answer = await list(query);
      assert.equal(answer.status, 400, query);
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), [field], query);
    }
  });

  it('continues with the cursor alone or with the same filters, and with no others', async () => {
    const filters = 'status=ongoing,ended&successful=true&createdAfter=2026-01-31T09:00:00%2B09:00';
    const cursor = (await list(filters)).json.pagination.nextCursor;
    const first = seen;
    for (const query of [
      `cursor=${cursor}`,
      `cursor=${cursor}&${filters}`,
      `cursor=${cursor}&status=ongoing,ended`,
      `cursor=${cursor}&status=ongoing&status=ended`,
    ]) {
      const answer = await list(query);
      assert.deepEqual([answer.status, answer.json.items], [200, [{ id: 'second' }]], query);
      assert.deepEqual({ ...seen, cursor: undefined }, { ...first, cursor: undefined }, query);
    }
    for (const query of ['status=ongoing', 'status=ended,ongoing', 'successful=false', 'version=1']) {
      const answer = await list(`cursor=${cursor}&${query}`);
      assert.equal(answer.status, 400, query);
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['cursor'], query);
    }
  });

  it('is described in OpenAPI with its types, its form and its examples', () => {
    const document = JSON.parse(JSON.stringify(buildOpenApi([probesContract])));
    const parameters = new Map(
      document.paths['/api/v1/probes'].get.parameters.map((parameter: { name: string }) => [parameter.name, parameter]),
    );
    assert.deepEqual(parameters.get('status'), {
      name: 'status',
      in: 'query',
      required: false,
      description: 'States.',
      style: 'form',
      explode: false,
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: 10,
        items: { type: 'string', enum: ['queued', 'ongoing', 'ended'] },
        examples: [['ongoing', 'ended']],
      },
    });
    assert.deepEqual(parameters.get('successful'), {
      name: 'successful',
      in: 'query',
      required: false,
      description: 'Whether.',
      schema: { type: 'boolean', examples: [true] },
    });
    const { schema } = parameters.get('createdAfter') as { schema: Record<string, unknown> };
    assert.deepEqual([schema.type, schema.format, schema.examples], ['string', 'date-time', ['2026-01-31T09:00:00Z']]);
  });
});
