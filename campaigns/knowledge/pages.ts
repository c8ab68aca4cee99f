import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Run } from '../campaign.ts';

/** The website that the documents with a URL come from. */
export class Pages {
  readonly #pages = new Map<number, { readonly html: string; readonly version: number }>();
  #port = 0;

  async start({ atEnd }: Pick<Run, 'atEnd'>): Promise<void> {
    const server = createServer((request, response) => {
      const page = this.#pages.get(Number(request.url?.slice(1)));
      if (page === undefined) return void response.writeHead(500).end();
      const etag = `"${page.version}"`;
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(page.html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
  }

  url(number: number): string {
    return `http://127.0.0.1:${this.#port}/${number}`;
  }

  show(number: number, version: number, html: string): void {
    this.#pages.set(number, { html, version });
  }

  /** From now on it answers 500. */
  fail(number: number): void {
    this.#pages.delete(number);
  }
}
