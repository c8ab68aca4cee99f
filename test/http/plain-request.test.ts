import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPlainRequest } from '../../src/http/plain-request.ts';

const read = (text: string) => readPlainRequest(Buffer.from(text, 'latin1'), null);

describe('reading a plain request', () => {
  it('finds method, address, headers and body', () => {
    const request = read('POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-Odd:\t y z \t\r\nEmpty:\r\nContent-Length: 2\r\n\r\n{}');
    assert.ok(request);
    const { method, url, headers, body } = request;
    assert.deepEqual(
      { method, url, headers: { ...headers.values }, body: body.toString() },
      {
        method: 'POST',
        url: '/a?b=c',
        headers: { host: 'x', 'x-odd': 'y z', empty: '', 'content-length': '2' },
        body: '{}',
      },
    );
    assert.deepEqual({ ...read('GET / HTTP/1.1\r\n\r\n')?.headers.values }, {});
  });

  it('takes the headers of the request before where they are the same text, and no others', () => {
    const bytes = (text: string) => Buffer.from(text, 'latin1');
    const first = readPlainRequest(bytes('GET /a HTTP/1.1\r\nX: y\r\n\r\n'), null);
    assert.ok(first);
    assert.equal(readPlainRequest(bytes('GET /b HTTP/1.1\r\nX: y\r\n\r\n'), first.headers)?.headers, first.headers);
    assert.equal(readPlainRequest(bytes('GET /b HTTP/1.1\r\nX: z\r\n\r\n'), first.headers)?.headers.values.x, 'z');
  });

  const others: [string, string][] = [
    ['half a head', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['nothing', ''],
    ['an empty line first', '\r\nGET / HTTP/1.1\r\n\r\n'],
    ['two requests', 'GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n'],
    ['bytes after the body', 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}x'],
    ['a part of the body', 'POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n{}'],
    ['a body without a length', 'POST / HTTP/1.1\r\n\r\n{}'],
    ['a body where none is expected', 'GET / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a length with a sign', 'POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n{}'],
    ['an empty length', 'POST / HTTP/1.1\r\nContent-Length:\r\n\r\n'],
    ['a length in hexadecimals', 'POST / HTTP/1.1\r\nContent-Length: 0x2\r\n\r\n{}'],
    ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    ['a header twice', 'GET / HTTP/1.1\r\nX-Api-Key: a\r\nx-api-key: b\r\n\r\n'],
    ['chunks', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['chunks and a length', 'POST / HTTP/1.1\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['the wish to close', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n'],
    ['an expectation', 'POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}'],
    ['a folded header', 'GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: a\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nnonsense\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nX : a\r\n\r\n'],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nX: a\nY: b\r\n\r\n'],
    ['a bare carriage return in a header', 'GET / HTTP/1.1\r\nX: a\rY: b\r\n\r\n'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nX: a\0b\r\n\r\n'],
    ['lines that end in line feeds only', 'GET / HTTP/1.1\nX: a\n\n'],
    ['an older version', 'GET / HTTP/1.0\r\n\r\n'],
    ['two spaces', 'GET  / HTTP/1.1\r\n\r\n'],
    ['a method in small letters', 'get / HTTP/1.1\r\n\r\n'],
    ['HEAD, whose answer has no body', 'HEAD / HTTP/1.1\r\n\r\n'],
    ['an address of another form', 'GET http://a/ HTTP/1.1\r\n\r\n'],
    ['an address with a fragment', 'GET /a#b HTTP/1.1\r\n\r\n'],
    ['an address with a character beyond ASCII', 'GET /\xe9 HTTP/1.1\r\n\r\n'],
    ['an address with a control character', 'GET /\x01 HTTP/1.1\r\n\r\n'],
    ['a long head', `GET / HTTP/1.1\r\nX: ${'y'.repeat(9000)}\r\n\r\n`],
  ];
  for (const [title, text] of others) {
    it(`leaves to Node: ${title}`, () => {
      assert.equal(read(text), null);
    });
  }
});
