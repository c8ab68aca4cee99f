/**
 * Addresses in pages, robots.txt and sitemaps. Each pattern takes time in proportion to the text, whatever is in it: this
 * runs beside calls. A parser of HTML needs the square of it for some pages.
 */

const anchor = /<a\s[^<>]*?\bhref\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))/gi;
const sitemapLine = /^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim;
const location = /<loc>(?:\s*<!\[CDATA\[)?([^<\]]+)/gi;
/** How many links of one text are read. */
const maxFound = 10_000;
const namedCharacters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The links of a page, as they are written. */
export function linksIn(html: string): string[] {
  return found(html, anchor, ([, quoted, single, plain]) => decoded(quoted ?? single ?? plain ?? ''));
}

/** The sitemaps that robots.txt names. */
export function sitemapsIn(robots: string): string[] {
  return found(robots, sitemapLine, ([, url = '']) => url);
}

export interface Sitemap {
  /** Whether the locations are those of further sitemaps. */
  readonly isIndex: boolean;
  readonly locations: readonly string[];
}

export function readSitemap(xml: string): Sitemap {
  return {
    isIndex: /<sitemapindex[\s>]/i.test(xml),
    locations: found(xml, location, ([, url = '']) => decoded(url)),
  };
}

function found(text: string, pattern: RegExp, toUrl: (match: RegExpExecArray) => string): string[] {
  return text.matchAll(pattern).take(maxFound).map(toUrl).toArray();
}

/** Decodes only the named characters of XML: others do not occur in addresses. */
function decoded(text: string): string {
  const plain = text.replaceAll(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (match, name, decimal, hex) => {
      if (name !== undefined) return namedCharacters[name.toLowerCase()] ?? match;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : match;
    },
  );
  return plain.trim();
}
