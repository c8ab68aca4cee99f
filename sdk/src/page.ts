import { ApiPromise, type WithResponse } from './api-promise.ts';
import { VoiceAgentsError } from './errors.ts';

/** The JSON of a page. */
export interface PageBody<Item> {
  readonly items: Item[];
  readonly pagination: { readonly nextCursor: string | null };
}

/** One page of a list. `for await` iterates over its items and those of all following pages. */
export class Page<Item> implements AsyncIterable<Item> {
  readonly items: Item[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  readonly #fetchPage: (cursor: string) => PagePromise<Item>;

  constructor(body: PageBody<Item>, fetchPage: (cursor: string) => PagePromise<Item>) {
    this.items = body.items;
    this.nextCursor = body.pagination.nextCursor;
    this.#fetchPage = fetchPage;
  }

  hasNextPage(): boolean {
    return this.nextCursor !== null;
  }

  getNextPage(): PagePromise<Item> {
    if (this.nextCursor === null) throw new VoiceAgentsError('This is the last page: check hasNextPage() first.');
    return this.#fetchPage(this.nextCursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let page: Page<Item> = this; ; page = await page.getNextPage()) {
      yield* page.items;
      if (!page.hasNextPage()) return;
    }
  }
}

/** Await it to get one page, or use `for await` to iterate over the items of all pages. */
export class PagePromise<Item> extends ApiPromise<Page<Item>> implements AsyncIterable<Item> {
  constructor(exchange: Promise<WithResponse<PageBody<Item>>>, fetchPage: (cursor: string) => PagePromise<Item>) {
    super(exchange.then(({ data, response }) => ({ data: new Page(data, fetchPage), response })));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this;
  }
}
