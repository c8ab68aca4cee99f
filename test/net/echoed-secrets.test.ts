import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonWithoutSecrets, withoutSecrets } from '../../src/net/partner/echoed-secrets.ts';

const secret = 'planted"/\\secret&<é>';

describe('secrets that a server repeats', () => {
  it('are replaced as they are, and inside of JSON, URLs and HTML', () => {
    const inJson = JSON.stringify(secret).slice(1, -1);
    const characters = [...secret];
    const forms: Readonly<Record<string, string>> = {
      plain: secret,
      json: inJson,
      'json with \\/': inJson.replaceAll('/', '\\/'),
      'json with \\u': characters.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
      'json in json': JSON.stringify(inJson).slice(1, -1),
      url: encodeURIComponent(secret),
      'url in lower case': encodeURIComponent(secret).toLowerCase(),
      html: secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
      'html with numbers': characters.map((one) => `&#${one.codePointAt(0)};`).join(''),
      'html with hexadecimal numbers': characters.map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
    };
    for (const [name, text] of Object.entries(forms)) {
      assert.equal(withoutSecrets(`\\ %é & ${text} "${text}"%20`, [secret]), '\\ %é & [SECRET] "[SECRET]"%20', name);
    }
  });

  it('are replaced by one mark if one contains another', () => {
    const [short, long] = ['abcdefgh', 'xabcdefghy'];
    assert.equal(withoutSecrets(`${long} ${short}`, [short, long]), '[SECRET] [SECRET]');
    assert.equal(withoutSecrets(`%61${long}%61bcdefgh`, [short, long]), '%61[SECRET][SECRET]');
  });

  it('leave everything else as it is', () => {
    for (const text of ['', 'planted', '%', '%4', '%zz%41', '\\', '\\u00', '&', '&#;', '&none;', '"\\u0041"']) {
      assert.equal(withoutSecrets(text, [secret, 'short']), text);
    }
    assert.equal(withoutSecrets('too short', ['short']), 'too short');
  });

  it('are replaced in every string of a JSON value, and in names', () => {
    assert.deepEqual(jsonWithoutSecrets({ [secret]: [secret, 1, null, { a: `x${secret}` }] }, [secret]), {
      '[SECRET]': ['[SECRET]', 1, null, { a: 'x[SECRET]' }],
    });
  });
});
