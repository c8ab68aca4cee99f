import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { upstreamError, validationFailed } from '../../../core/errors.ts';
import type { Guard } from '../../../net/guard.ts';
import { type Download, DownloadError, download } from './download.ts';
import { linksIn, readSitemap, sitemapsIn } from './links.ts';

export interface FoundPages {
  readonly urls: readonly string[];
  /** Whether there are more. */
  readonly truncated: boolean;
}

export interface FindPagesParts {
  readonly guard: Guard;
  readonly userAgent: string;
  readonly maxUrls?: number;
  readonly timeoutMs?: number;
}

const maxBytes = 10 * 1024 ** 2;
/**
 * How much of a page or sitemap is read. Larger ones have many more addresses than are returned, and this process has calls
 * to serve.
 */
const maxReadBytes = 1024 ** 2;
const maxUrlLength = 2048;
/** How many are read that robots.txt, or one index, lists. */
const maxSitemaps = 20;
const otherFiles =
  /\.(?:avif|bmp|css|dmg|exe|gif|gz|ico|jpe?g|js|json|mp[34]|png|pptx?|svg|webp|woff2?|xlsx?|xml|zip)$/i;

export type FindPages = (url: string, signal: AbortSignal) => Promise<FoundPages>;

/** The pages of a website: those of its sitemap, or else the links of the page. */
export function createFindPages({ guard, userAgent, maxUrls = 500, timeoutMs = 30_000 }: FindPagesParts): FindPages {
  return async (url, signal) => {
    const endsAt = performance.now() + timeoutMs;
    const read = (address: string, accept: string): Promise<Download> =>
      download(guard, userAgent, { url: address, accept, maxBytes, timeoutMs: endsAt - performance.now(), signal });
    const readText = async (address: string): Promise<string | null> => {
      try {
        return await textOf(await read(address, '*/*'));
      } catch (error) {
        // There is none, or it cannot be read: the page has links.
        if (error instanceof DownloadError) return null;
        throw error;
      }
    };

    const page = await read(withoutFragment(url), 'text/html,*/*;q=0.5').catch((error: unknown) => {
      throw error instanceof DownloadError ? requestError(error) : error;
    });
    const pages = new PageList(new URL(page.url), maxUrls);
    const robots = (await readText(new URL('/robots.txt', page.url).href)) ?? '';
    const named = sitemapsIn(robots).slice(0, maxSitemaps);
    const first = named.length > 0 ? named : ['/sitemap.xml'];
    await addSitemaps(pages, first, readText);
    if (pages.size === 0) {
      pages.add(page.url);
      for (const link of linksIn(await textOf(page))) pages.add(link);
    }
    return { urls: pages.urls, truncated: pages.isTruncated };
  };
}

/** An index may name further sitemaps, which are not indexes themselves. */
async function addSitemaps(
  pages: PageList,
  first: readonly string[],
  readText: (address: string) => Promise<string | null>,
): Promise<void> {
  const indexed: string[] = [];
  const add = async (address: string, isFirst: boolean): Promise<void> => {
    const url = pages.resolve(address);
    if (pages.isTruncated || url === null) return;
    const { isIndex, locations } = readSitemap((await readText(url.href)) ?? '');
    if (!isIndex) for (const location of locations) pages.add(location);
    else if (isFirst) indexed.push(...locations.slice(0, maxSitemaps - indexed.length));
  };
  for (const address of first) await add(address, true);
  for (const address of indexed) await add(address, false);
}

/** Different pages of one host. */
class PageList {
  readonly #page: URL;
  readonly #maxUrls: number;
  readonly #urls = new Set<string>();
  isTruncated = false;

  constructor(page: URL, maxUrls: number) {
    this.#page = page;
    this.#maxUrls = maxUrls;
  }

  get size(): number {
    return this.#urls.size;
  }

  get urls(): string[] {
    return [...this.#urls];
  }

  /** Null if it is no address, or has another scheme. */
  resolve(address: string): URL | null {
    const url = URL.parse(address, this.#page.href);
    return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
  }

  add(address: string): void {
    const url = this.resolve(address);
    if (url === null || url.host !== this.#page.host || otherFiles.test(url.pathname)) return;
    // Sitemaps are often older than the certificate.
    url.protocol = this.#page.protocol;
    url.hash = '';
    url.username = '';
    url.password = '';
    if (url.href.length > maxUrlLength || this.#urls.has(url.href)) return;
    if (this.#urls.size < this.#maxUrls) this.#urls.add(url.href);
    else this.isTruncated = true;
  }
}

/** The beginning. A sitemap may be a compressed file, which is not a compressed response. */
async function textOf({ body }: Download): Promise<string> {
  const bytes = body ?? Buffer.alloc(0);
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const content = isCompressed
    ? await promisify(gunzip)(bytes, { maxOutputLength: maxBytes }).catch(() => Buffer.alloc(0))
    : bytes;
  return content.toString('utf8', 0, maxReadBytes);
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}

function requestError({ error: { code, retryable }, status }: DownloadError): Error {
  if (code === 'address_not_allowed')
    return validationFailed({ url: ['must be an address that the service connects to'] });
  return upstreamError('the website', status === null ? code : `HTTP ${status}`, retryable && !isFinal(status));
}

/** Asking again soon does not help. A document is fetched again later all the same: its page may come back. */
function isFinal(status: number | null): boolean {
  return status !== null && status < 500 && ![408, 425, 429].includes(status);
}
