import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createFindPages } from '../../../../src/areas/knowledge/fetching/find-pages.ts';
import { linksIn, readSitemap, sitemapsIn } from '../../../../src/areas/knowledge/fetching/links.ts';
import type { AppError } from '../../../../src/core/errors.ts';
import { testGuard, website } from './support.ts';

const guard = testGuard();
type Pages = Record<string, string | Buffer | ((site: string) => string)>;

/** Answers with the page of the path, or 404. */
async function siteOf(pages: Pages): Promise<string> {
  const site: string = await website(({ url = '' }, response) => {
    const page = Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (page === undefined) response.writeHead(404).end();
    else response.end(typeof page === 'function' ? page(site) : page);
  });
  return site;
}

const find = (url: string, more: { maxUrls?: number; timeoutMs?: number } = {}) =>
  createFindPages({ guard, userAgent: 'voice-agents/1', ...more })(url, new AbortController().signal);

async function pathsOf(pages: Pages, url = '/'): Promise<string[]> {
  const site = await siteOf(pages);
  const { urls } = await find(`${site}${url}`);
  return urls.map((found) => found.replace(site, ''));
}

const sitemap = (...locations: string[]): string =>
  `<?xml version="1.0"?><urlset>${locations.map((each) => `<url><loc>${each}</loc></url>`).join('')}</urlset>`;
const index = (...locations: string[]): string =>
  `<sitemapindex xmlns="x">${locations.map((each) => `<sitemap><loc>${each}</loc></sitemap>`).join('')}</sitemapindex>`;

describe('finding the pages of a website', () => {
  it('reads the sitemaps that robots.txt names', async () => {
    const paths = await pathsOf({
      '/': 'home <a href="/not-in-the-sitemap">',
      '/robots.txt': (site) => `User-agent: *\nDisallow:\nSITEMAP: ${site}/one.xml\r\nSitemap: /two.xml`,
      '/one.xml': (site) => sitemap(`${site}/a`, `${site}/b?x=1&amp;y=2`),
      '/two.xml': (site) => sitemap(`\n ${site}/c#part\n`, `<![CDATA[${site}/d]]>`, `${site}/a`),
      '/sitemap.xml': (site) => sitemap(`${site}/not-named`),
    });
    assert.deepEqual(paths, ['/a', '/b?x=1&y=2', '/c', '/d']);
  });

  it('reads /sitemap.xml otherwise, and an index one level deep', async () => {
    const paths = await pathsOf({
      '/': 'home',
      '/sitemap.xml': (site) => index(`${site}/pages.xml`, `${site}/deeper.xml`, `${site}/packed.xml.gz`),
      '/pages.xml': (site) => sitemap(`${site}/a`),
      '/deeper.xml': (site) => index(`${site}/too-deep.xml`),
      '/too-deep.xml': (site) => sitemap(`${site}/never`),
      '/packed.xml.gz': gzipSync(sitemap('/b')),
    });
    assert.deepEqual(paths, ['/a', '/b']);
  });

  it('takes the links of the page if there is no sitemap', async () => {
    const paths = await pathsOf(
      {
        '/help/': `<a class=x href="/faq#top">FAQ</a> <A HREF='shipping?a=1&amp;b=2'>…</A> <a href=returns>…</a>
          <a href="mailto:a@example.com"> <a href="https://other.example.com/"> <a href="/logo.png"> <a href="javascript:x()">`,
      },
      '/help/',
    );
    assert.deepEqual(paths, ['/help/', '/faq', '/help/shipping?a=1&b=2', '/help/returns']);
  });

  it('keeps to the host of the page, and to its scheme', async () => {
    const paths = await pathsOf({
      '/': 'home',
      '/sitemap.xml': (site) =>
        sitemap(`${site}/a`, site.replace('http:', 'https:').concat('/b'), 'https://other.example.com/c', 'ftp://x/d'),
    });
    assert.deepEqual(paths, ['/a', '/b']);
  });

  it('follows redirects of the page to the host that it finds the pages of', async () => {
    const target = await siteOf({ '/': 'home', '/sitemap.xml': (site) => sitemap(`${site}/a`) });
    const site = await website((_, response) => response.writeHead(301, { location: `${target}/` }).end());
    assert.deepEqual(await find(site), { urls: [`${target}/a`], truncated: false });
  });

  it('says if there are more than it returns', async () => {
    const site = await siteOf({ '/': 'home', '/sitemap.xml': sitemap('/a', '/a', '/b', '/c') });
    assert.deepEqual(await find(site, { maxUrls: 2 }), { urls: [`${site}/a`, `${site}/b`], truncated: true });
    assert.equal((await find(site, { maxUrls: 3 })).truncated, false);
  });

  it('reads the first mebibyte of a page or sitemap, because calls wait meanwhile', async () => {
    const far = ' '.repeat(1024 ** 2);
    assert.deepEqual(await pathsOf({ '/': `<a href="/a">${far}<a href="/b">` }), ['/', '/a']);
    const packed = gzipSync(`${sitemap('/c')}${far}${sitemap('/d')}`);
    assert.deepEqual(await pathsOf({ '/': '', '/sitemap.xml': packed }), ['/c']);
  });

  it('refuses an address that the guard refuses with 400, and reports a page that cannot be read with 502', async () => {
    const site = await siteOf({});
    const isError = (code: string, details: object) => (error: AppError) => {
      assert.equal(error.code, code);
      assert.deepEqual(error.details, details);
      return true;
    };
    const refused = { fieldErrors: { url: ['must be an address that the service connects to'] } };
    await assert.rejects(find('https://10.0.0.1/'), isError('VALIDATION_ERROR', refused));
    const toPrivate = await website((_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
    await assert.rejects(find(toPrivate), isError('VALIDATION_ERROR', refused));
    const missing = { provider: 'the website', providerCode: 'HTTP 404', retryable: false };
    await assert.rejects(find(`${site}/missing`), isError('UPSTREAM_ERROR', missing));
    const busy = await website((_, response) => response.writeHead(503).end());
    const unavailable = { provider: 'the website', providerCode: 'HTTP 503', retryable: true };
    await assert.rejects(find(busy), isError('UPSTREAM_ERROR', unavailable));
    const slow = await website(() => undefined);
    const late = { provider: 'the website', providerCode: 'timeout', retryable: true };
    await assert.rejects(find(slow, { timeoutMs: 100 }), isError('UPSTREAM_ERROR', late));
  });

  it('returns the links within its time if the sitemap does not arrive', async () => {
    const site = await website(({ url }, response) => {
      if (url === '/') response.end('<a href="/a">');
    });
    assert.deepEqual((await find(site, { timeoutMs: 300 })).urls, [`${site}/`, `${site}/a`]);
  });
});

describe('the patterns of links', () => {
  it('decode characters, and take what is not valid as it is', () => {
    assert.deepEqual(linksIn('<a href="?a&#38;b&#x26;c&lt;&#xffffff;">'), ['?a&b&c<&#xffffff;']);
    assert.deepEqual(sitemapsIn('# Sitemap: no\nsitemap:  /a\nx-sitemap: /b'), ['/a']);
    assert.deepEqual(readSitemap('<urlset><loc>/a</loc><image:loc>/no</image:loc>'), {
      isIndex: false,
      locations: ['/a'],
    });
  });

  it('take time in proportion to a hostile text', () => {
    const size = 1024 ** 2;
    const texts = [
      '<a ',
      '<a href',
      '<a href=',
      `<a ${' '.repeat(1000)}`,
      '<loc>',
      `<loc>${' '.repeat(1000)}`,
      '\nsitemap',
      '&#',
    ];
    for (const part of texts) {
      const text = part.repeat(Math.ceil(size / part.length));
      const start = performance.now();
      linksIn(text);
      sitemapsIn(text);
      readSitemap(text);
      assert.ok(performance.now() - start < 3000, `${JSON.stringify(part.slice(0, 10))} takes too long`);
    }
    const spaces = [
      `<a ${' '.repeat(size)}`,
      `<loc>${' '.repeat(size)}`,
      `<a href${' '.repeat(size)}`,
      `${'\t'.repeat(size)}`,
    ];
    for (const text of spaces) {
      const start = performance.now();
      linksIn(text);
      sitemapsIn(text);
      readSitemap(text);
      assert.ok(performance.now() - start < 3000, 'spaces take too long');
    }
  });
});
