import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toolUrlIssues } from '../../../src/contract/agents/settings/tool-url.ts';
import { toolUrl } from '../../../src/voice/tools/tool-url.ts';
import { simulate } from '../simulated-call.ts';

const base = 'https://shop.example.com';

function filled(url: string, given: Record<string, unknown>, method = 'GET'): string {
  const result = toolUrl({ url: `${base}${url}`, method }, given);
  return 'url' in result ? result.url.slice(base.length) : result.issues.map(textOf).join('; ');
}

function textOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return [...path.map(String), message].join(': ');
}

describe('the URL of a tool', () => {
  it('has the arguments in its path and query, percent-encoded', () => {
    for (const [url, given, expected] of [
      ['/orders/{number}', { number: 'A-1001' }, '/orders/A-1001'],
      ['/orders/{number}', { number: 'a/b?c#d&e%20 f' }, '/orders/a%2Fb%3Fc%23d%26e%2520%20f'],
      ['/orders/{number}', { number: 7 }, '/orders/7'],
      ['/orders/{open}', { open: false }, '/orders/false'],
      ['/店/{注文番号}', { 注文番号: '銀座' }, `/店/${encodeURIComponent('銀座')}`],
      ['/orders/{number}/lines?of={number}', { number: '{x}' }, '/orders/%7Bx%7D/lines?of=%7Bx%7D'],
      ['/{a}{b}', { a: 'x', b: '\uD800' }, '/x%EF%BF%BD'],
      ['/search?q={q}', { q: '' }, '/search?q='],
      ['/constructor/{constructor}', { constructor: 'own' }, '/constructor/own'],
    ] as const) {
      assert.equal(filled(url, given), expected);
    }
  });

  it('leaves out a part of the query without its argument, and refuses a path without it', () => {
    assert.equal(filled('/search?lang=ja&q={q}&page={page}', { q: 'x' }), '/search?lang=ja&q=x');
    assert.equal(filled('/search?q={q}', { q: null }), '/search');
    const required = 'number: is required: it is part of the path of the URL';
    for (const given of [{}, { number: null }, { number: '' }])
      assert.equal(filled('/orders/{number}', given), required);
    // Not what every object inherits.
    assert.match(filled('/{constructor}', {}), /^constructor: is required/);
  });

  it('refuses an object or a list in a placeholder, and a path that would lead elsewhere', () => {
    for (const nested of [{ a: 1 }, ['a']]) {
      assert.match(filled('/orders/{number}', { number: nested }), /^number: must be a string, a number or a boolean/);
    }
    for (const dots of ['.', '..']) {
      assert.equal(filled('/orders/{number}', { number: dots }), 'number: must not make a part of the path . or ..');
      assert.equal(filled('/x/%2e{number}', { number: '.' }), 'number: must not make a part of the path . or ..');
    }
    // However a URL parser comes to the same path.
    for (const path of [
      '/x\\{number}',
      '/x\\{number}/y',
      '/x/{number}\t',
      '/x/{number}\n/y',
      '/x/{number} ',
      '/x/\r{number}',
    ]) {
      assert.equal(filled(path, { number: '..' }), 'number: must not make a part of the path . or ..', path);
    }
    assert.equal(filled('/orders/{number}.json', { number: '..' }), '/orders/...json');
    assert.equal(filled('/x?q={q}', { q: 'x'.repeat(2048) }), 'must not make the URL longer than 2048 characters');
  });

  it('has the other arguments in its query with GET and DELETE, and nowhere else', () => {
    const given = { number: 'A 1', tags: ['a', 'b', null], page: 2, open: true, none: null, place: { city: '東京' } };
    const query = `tags=a&tags=b&page=2&open=true&place=${encodeURIComponent('{"city":"東京"}')}`;
    for (const method of ['GET', 'DELETE']) {
      assert.equal(filled('/orders/{number}', given, method), `/orders/A%201?${query}`);
      assert.equal(filled('/orders/{number}?lang=ja', given, method), `/orders/A%201?lang=ja&${query}`);
    }
    for (const method of ['POST', 'PUT', 'PATCH'])
      assert.equal(filled('/orders/{number}', given, method), '/orders/A%201');
    assert.equal(filled('/orders', { 'a&b': [[1], [2]] }), `/orders?a%26b=${encodeURIComponent('[[1],[2]]')}`);
    assert.equal(filled('/orders', { empty: [] }), '/orders');
  });

  it('keeps what its query sets', () => {
    for (const url of ['/orders?shop=ginza', '/orders?a=1&shop', '/orders?sh%6Fp=ginza']) {
      assert.equal(filled(url, { shop: 'other' }), 'shop: is set by the URL of the tool');
    }
    assert.equal(filled('/orders?shop=ginza', { shop: 'other' }, 'POST'), '/orders?shop=ginza');
    assert.equal(filled('/orders?shop={shop}', { shop: 'other' }), '/orders?shop=other');
  });
});

describe('a tool in a simulation', () => {
  it('fails as in a call if its arguments do not fit into the URL', () => {
    const skills = [
      { id: 'ask', type: 'ask', text: 'Which order?', variable: 'number', as: 'text', next: 'look' },
      { id: 'look', type: 'tool', tool: 'find', arguments: { number: '{{other}}' }, next: 'yes', otherwise: 'no' },
      { id: 'yes', type: 'end', text: 'Found.' },
      { id: 'no', type: 'end', text: 'Not found.' },
    ];
    const parameters = { type: 'object', properties: { number: { type: 'string' } } };
    const tools = [{ name: 'find', description: 'Finds.', method: 'GET', url: `${base}/{number}`, parameters }];
    const agent = {
      language: 'en',
      responseEngine: { type: 'conversation_flow' },
      agentSettings: { tools, flow: { skills } },
    } as const;
    // The run would fail if the script were asked for a result, because it has none.
    simulate(agent, ['expect agent says /Which order/', 'say "Seven."', 'expect agent says /Not found/']);
  });
});

describe('a URL with placeholders', () => {
  const parameters = {
    type: 'object',
    properties: { number: { type: 'string' }, place: { type: 'object' }, tags: { type: ['array'] } },
  };
  const issuesOf = (url: string, method = 'GET') => toolUrlIssues({ url, method, parameters });

  it('names parameters with a plain value, in its path and query', () => {
    for (const url of [base, `${base}/{number}`, `${base}?q={number}`, `${base}/a{number}b?x={number}&y=1`]) {
      assert.deepEqual(issuesOf(url), []);
    }
    assert.deepEqual(issuesOf(`${base}/{id}`), ['contains {id}, which is not in parameters.properties']);
    assert.match(
      issuesOf(`${base}/{place}`).join(),
      /^contains \{place\}, which must be a string, a number or a boolean/,
    );
    assert.match(issuesOf(`${base}?tags={tags}`).join(), /^contains \{tags\}, which must be/);
    assert.deepEqual(issuesOf(`${base}?number=1`), ['sets number in its query, which is also a parameter']);
    assert.deepEqual(issuesOf(`${base}?number=1`, 'POST'), []);
    for (const url of [`${base}/{`, `${base}/}`, `${base}/{}`, `${base}/{{number}}`, `${base}/{{secrets.KEY}}`]) {
      assert.match(issuesOf(url).join(), /^contains \{ or \} that is not part of \{name\}/);
    }
  });

  it('cannot have them in its scheme, host or port', () => {
    const hosts = ['{number}', '{number}.example.com', 'shop.example.com:{number}', '{number}@shop.example.com'];
    for (const url of [
      ...hosts.map((host) => `https://${host}/orders`),
      '{number}://shop.example.com/',
      '{number}',
      'https:/{number}/',
      'https:///{number}/',
      'https:\\\\{number}\\',
      'https://\t/{number}/',
      ' https://shop.example.com/{number}',
      'https:{number}',
    ]) {
      assert.deepEqual(issuesOf(url), ['must not contain {name} in its scheme, host or port'], url);
    }
  });
});
