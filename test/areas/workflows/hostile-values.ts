import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StepFailure } from '../../../src/areas/workflows/step-failure.ts';
import { Renderer } from '../../../src/areas/workflows/templates/renderer.ts';
import { renderedRequest, requestWithSecrets } from '../../../src/areas/workflows/templates/request.ts';
import { contextWith, stepOf } from './template-context.ts';

const planted = 'planted-secret-value-7291';

/** What could end a text, begin another part of a request, or be read as a template. */
const fragments = fc.constantFrom(
  ...[
    '"',
    '\\',
    '\\"',
    '",',
    '"}',
    '{"',
    '[',
    ']',
    '":',
    '\\u0022',
    "'",
    '`',
    '${',
    '<',
    '&',
    '&amp;',
    ';',
    '%',
    '%2F',
    '%00',
  ],
  ...[
    '\r\n',
    '\n',
    '\r',
    '\u0000',
    '\u0085',
    '\u2028',
    '\t',
    ' ',
    '\u00a0',
    '\ufeff',
    '\ud800',
    '\udfff',
    '😀',
    'あ',
    'é',
  ],
  ...[
    '/',
    '//',
    '\\\\',
    '.',
    '..',
    '/../',
    '%2e',
    '?',
    '#',
    '@',
    ':',
    ':443',
    '@evil.example.com',
    '//evil.example.com/',
  ],
  ...[
    '{{',
    '}}',
    '{{call.id}}',
    '{{secrets.KEY}}',
    '{{secr',
    'ets.KEY}}',
    '| default: ',
    '{{call.metadata.a | default: null}}',
  ],
  ...[
    'Host: evil.example.com',
    'Idempotency-Key',
    'Content-Length: 0',
    '__proto__',
    'constructor',
    'null',
    'true',
    '1e999',
  ],
);

/** Texts as a caller could say or type them. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fragments, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).filter((value) => value !== null) },
);

const place = {
  url: fc.constantFrom(
    'https://crm.example.com:8443/leads/{{call.metadata.v}}/notes?q={{call.metadata.v}}&last=1',
    'https://crm.example.com:8443/leads?a{{call.metadata.v}}=1',
    'https://crm.example.com:8443/{{secrets.KEY}}/{{call.metadata.v}}x{{call.metadata.v}}',
  ),
};

const secrets = new Map([['KEY', { value: planted, hosts: ['crm.example.com'] }]]);
const headers = { Authorization: 'Bearer {{secrets.KEY}}', 'X-Value': 'a {{call.metadata.v}}', 'X-Fixed': 'fixed' };
const body = {
  exact: '{{call.metadata.v}}',
  inText: 'a "{{call.metadata.v}}" b',
  list: ['{{call.metadata.v}}', 1],
  nested: { fixed: true, '{"a"': '{{call.metadata.v}}' },
};
const form = { first: '{{call.metadata.v}}', second: 'b {{call.metadata.v}}' };

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Renders and sends hostile values in each place of a request. Nothing but the place itself may change. */
export function checkHostileValues({ seed, count }: { readonly seed: number; readonly count: number }): void {
  let sent = 0;
  fc.assert(
    fc.property(place.url, hostileValue, fc.boolean(), (url, value, hasForm) => {
      const stored = JSON.parse(JSON.stringify(value));
      const context = contextWith({ call: { metadata: { v: stored } } });
      const render = (fields: Readonly<Record<string, unknown>>) =>
        requestWithSecrets(
          renderedRequest(
            stepOf('http_request', { url: 'https://crm.example.com:8443/', ...fields }),
            new Renderer(context),
            'key',
          ),
          secrets,
        );
      const attempt = (fields: Readonly<Record<string, unknown>>) => {
        try {
          return render(fields);
        } catch (error) {
          assert.ok(error instanceof StepFailure, String(error));
          assert.equal(error.code, 'template_error');
          return undefined;
        }
      };

      const addressed = attempt({ url });
      if (addressed !== undefined) checkAddress(url, addressed.url, textOf(stored));

      const withHeaders = attempt({ headers });
      if (withHeaders !== undefined) {
        sent += 1;
        assert.deepEqual(Object.keys(withHeaders.headers).sort(), [
          'authorization',
          'idempotency-key',
          'x-fixed',
          'x-value',
        ]);
        assert.equal(withHeaders.headers.authorization, `Bearer ${planted}`);
        assert.equal(withHeaders.headers['idempotency-key'], 'key');
        assert.equal(withHeaders.headers['x-value'], `a ${textOf(stored)}`);
        for (const text of Object.values(withHeaders.headers)) assert.match(text, /^[\t\x20-\x7e]*$/);
      }

      const withBody = render(hasForm ? { form } : { body });
      const text = withBody.body ?? '';
      assert.ok(!text.includes(planted));
      if (hasForm) {
        assert.deepEqual(
          [...new URLSearchParams(text)],
          [
            ['first', textOf(stored).toWellFormed()],
            ['second', `b ${textOf(stored)}`.toWellFormed()],
          ],
        );
      } else {
        assert.deepEqual(JSON.parse(text), {
          exact: stored,
          inText: `a "${textOf(stored)}" b`,
          list: [stored, 1],
          nested: { fixed: true, '{"a"': stored },
        });
        assert.deepEqual(Object.keys(JSON.parse(text)), Object.keys(body));
      }
    }),
    { seed, numRuns: count },
  );
  assert.ok(sent > count / 10, 'many values can be sent in headers');
}

/** Compares with the same template for a value that needs no escape. */
function checkAddress(template: string, url: string, value: string): void {
  const expected = new URL(template.replaceAll(/\{\{call\.[^}]*\}\}/g, 'x').replaceAll('{{secrets.KEY}}', planted));
  const parsed = new URL(url);
  assert.equal(parsed.origin, expected.origin);
  assert.deepEqual([parsed.username, parsed.password, parsed.hash], ['', '', '']);
  const names = parsed.pathname.split('/');
  assert.equal(names.length, expected.pathname.split('/').length);
  const wellFormed = value.toWellFormed();
  for (const [index, name] of expected.pathname.split('/').entries()) {
    const decoded = decodeURIComponent(names[index] as string);
    if (name === 'x') assert.equal(decoded, wellFormed);
    else if (name === 'xxx') assert.equal(decoded, `${wellFormed}x${wellFormed}`);
    else assert.equal(decoded, name);
  }
  assert.deepEqual([...parsed.searchParams.keys()].length, [...expected.searchParams.keys()].length);
  if (expected.searchParams.has('q')) assert.equal(parsed.searchParams.get('q'), wellFormed);
  if (expected.searchParams.has('last')) assert.equal(parsed.searchParams.get('last'), '1');
}
