import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  createFetching,
  type FetchError,
  type FetchedContent,
  type FetchRequest,
} from '../../../../src/areas/knowledge/fetching/fetching.ts';
import { contentOf, testGuard, testMedia, website } from './support.ts';

const guard = testGuard();
const media = testMedia();
const file = 'knowledge/doc_1/job_1-1';
const maxBytes = 1024 ** 2;

function fetchPage(url: string, more: Partial<FetchRequest> = {}, timeoutMs = 5000) {
  const fetching = createFetching({ guard, media, userAgent: 'voice-agents/1', maxBytes, timeoutMs });
  return fetching.fetch({ url, validators: null, file, signal: new AbortController().signal, ...more });
}

async function fetched(url: string, more: Partial<FetchRequest> = {}): Promise<FetchedContent> {
  const result = await fetchPage(url, more);
  assert.equal(result.as, 'fetched', JSON.stringify(result));
  return (result as { content: FetchedContent }).content;
}

async function failure(url: string, timeoutMs?: number): Promise<FetchError> {
  const result = await fetchPage(url, {}, timeoutMs);
  assert.equal(result.as, 'failed', JSON.stringify(result));
  return (result as { error: FetchError }).error;
}

/** `/3` redirects to `/2`, and so on to `/0`. */
const counting: RequestListener = ({ url = '' }, response) => {
  const rest = Number(url.slice(1));
  if (rest === 0) response.end('arrived');
  else response.writeHead(302, { location: `${rest - 1}#section` }).end();
};

describe('fetching a page', () => {
  it('writes its content to the file, and says what the server said about it', async () => {
    let request: IncomingMessage | undefined;
    const site = await website((received, response) => {
      request = received;
      response
        .writeHead(200, {
          'content-type': 'text/html; charset=Shift_JIS',
          etag: '"v1"',
          'last-modified': 'Wed, 18 Nov 2026 10:00:00 GMT',
        })
        .end('<p>10時から</p>');
    });
    const content = await fetched(`${site}/faq`);
    assert.deepEqual(content, {
      file: { name: file, bytes: 18 },
      sha256: createHash('sha256').update('<p>10時から</p>').digest('hex'),
      contentType: 'text/html; charset=Shift_JIS',
      validators: { url: `${site}/faq`, etag: '"v1"', lastModified: 'Wed, 18 Nov 2026 10:00:00 GMT' },
      url: `${site}/faq`,
    });
    assert.equal(await contentOf(media, file), '<p>10時から</p>');
    assert.equal(request?.headers['user-agent'], 'voice-agents/1');
    assert.equal(request?.headers['if-none-match'], undefined);
  });

  it('writes a large page as it is, with its digest', async () => {
    const page = Buffer.alloc(5 * 1024 ** 2 + 1, 'The same line again and again. ');
    const site = await website((_, response) => response.end(page));
    const fetching = createFetching({ guard, media, userAgent: 'voice-agents/1' });
    const { signal } = new AbortController();
    const result = await fetching.fetch({ url: site, validators: null, file, signal });
    assert.equal(result.as, 'fetched');
    const { content } = result as { content: FetchedContent };
    assert.equal(content.sha256, createHash('sha256').update(page).digest('hex'));
    assert.equal(content.file.bytes, page.length);
    assert.ok(page.equals(await media.withLocal(file, (path) => readFile(path))));
  });

  it('asks whether the page has changed', async () => {
    const site = await website(({ headers }, response) => {
      const isKnown = headers['if-none-match'] === '"v1"' && headers['if-modified-since'] === 'yesterday';
      response.writeHead(isKnown ? 304 : 200).end();
    });
    const validators = { url: `${site}/faq`, etag: '"v1"', lastModified: 'yesterday' };
    assert.deepEqual(await fetchPage(`${site}/faq`, { validators }), { as: 'not_modified' });
  });

  it('sends validators only to the address that they came from, also after a redirect', async () => {
    const seen: (string | undefined)[] = [];
    const site = await website(({ url, headers }, response) => {
      seen.push(`${url} ${headers['if-none-match']}`);
      if (url === '/old') response.writeHead(301, { location: '/new' }).end();
      else response.writeHead(headers['if-none-match'] === undefined ? 200 : 304).end();
    });
    const validators = { url: `${site}/new`, etag: '"v1"', lastModified: null };
    assert.equal((await fetchPage(`${site}/old`, { validators })).as, 'not_modified');
    assert.equal((await fetchPage(`${site}/other`, { validators })).as, 'fetched');
    assert.deepEqual(seen, ['/old undefined', '/new "v1"', '/other undefined']);
  });

  it('does not believe "not modified" if it did not ask', async () => {
    const site = await website((_, response) => response.writeHead(304).end());
    assert.deepEqual(await failure(site), {
      code: 'fetch_failed',
      message: 'The server answered 304.',
      retryable: true,
    });
  });

  it('follows three redirects, and no fourth', async () => {
    const site = await website(counting);
    assert.equal((await fetched(`${site}/3`)).url, `${site}/0`);
    assert.deepEqual(await failure(`${site}/4`), {
      code: 'fetch_failed',
      message: 'The page redirects more than 3 times.',
      retryable: true,
    });
  });

  it('checks each redirect like a new address', async () => {
    const targets = ['http://10.0.0.1/', 'https://169.254.169.254/latest', 'https://[::ffff:10.0.0.1]/', 'file:///etc'];
    for (const location of targets) {
      const site = await website((_, response) => response.writeHead(307, { location }).end());
      const { code, retryable } = await failure(site);
      assert.deepEqual({ code, retryable }, { code: 'address_not_allowed', retryable: false }, location);
    }
  });

  it('fails if a redirect has no valid address', async () => {
    const site = await website(({ url }, response) =>
      response.writeHead(302, url === '/bad' ? { location: 'http://[' } : {}).end(),
    );
    assert.equal((await failure(`${site}/bad`)).code, 'fetch_failed');
    assert.equal((await failure(`${site}/none`)).code, 'fetch_failed');
  });

  it('decodes a compressed body', async () => {
    const text = '営業時間は10時から19時までです。'.repeat(100);
    const encodings: Record<string, Buffer> = {
      gzip: gzipSync(text),
      br: brotliCompressSync(text),
      deflate: deflateSync(text),
      Deflate: deflateRawSync(text),
      'gzip, br': brotliCompressSync(gzipSync(text)),
      identity: Buffer.from(text),
    };
    for (const [encoding, body] of Object.entries(encodings)) {
      const site = await website((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
      await fetched(site);
      assert.equal(await contentOf(media, file), text, encoding);
    }
  });

  it('refuses a body that is larger than the limit, before and after it is decoded', async () => {
    const large = Buffer.alloc(maxBytes + 1);
    const bodies: Record<string, Buffer> = {
      identity: large,
      gzip: gzipSync(Buffer.alloc(30 * maxBytes)),
      br: brotliCompressSync(large),
      deflate: deflateSync(large),
      'gzip, gzip': gzipSync(gzipSync(large)),
    };
    for (const [encoding, body] of Object.entries(bodies)) {
      const site = await website((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
      const error = await failure(site);
      assert.deepEqual(error, { code: 'too_large', message: 'The page has more than 1 MiB.', retryable: false });
    }
  });

  it('fails if the body is not encoded as the server says', async () => {
    const bodies: [string, Buffer | string][] = [
      ['gzip', 'plain text'],
      ['gzip', gzipSync('cut off').subarray(0, -4)],
      ['compress', 'x'],
      ['constructor', 'x'],
      ['gzip, gzip, gzip', 'x'],
    ];
    for (const [encoding, body] of bodies) {
      const site = await website((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
      assert.equal((await failure(site)).code, 'fetch_failed', encoding);
    }
  });

  it('ends at the time limit, although bytes keep arriving', async () => {
    const site = await website((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { code, retryable } = await failure(site, 200);
    assert.deepEqual({ code, retryable }, { code: 'timeout', retryable: true });
  });

  it('has one time limit for all redirects', async () => {
    const site = await website((request, response) => {
      setTimeout(() => counting(request, response), 100);
    });
    assert.equal((await failure(`${site}/3`, 250)).code, 'timeout');
  });

  it('fails with the status, and without a server', async () => {
    const site = await website((_, response) => response.writeHead(404).end('not here'));
    assert.deepEqual(await failure(site), {
      code: 'fetch_failed',
      message: 'The server answered 404.',
      retryable: true,
    });
    assert.equal((await failure('http://127.0.0.1:1')).code, 'address_not_allowed');
    assert.equal((await failure('http://127.0.0.1:1025')).code, 'fetch_failed');
  });

  it('rejects if it is canceled', async () => {
    const stop = new AbortController();
    const site = await website(() => stop.abort(new Error('stopped')));
    await assert.rejects(fetchPage(site, { signal: stop.signal }), /stopped/);
  });
});
