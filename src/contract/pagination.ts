import { z } from 'zod';
import { text } from './text.ts';

export const defaultPageSize = 50;
export const largestPageSize = 200;
/** Room for the longest search text, which a cursor carries. */
const maxCursor = 4096;

/** The query parameters that every list takes. */
export const pageParameters = {
  limit: z
    .int()
    .min(1)
    .max(largestPageSize)
    .default(defaultPageSize)
    .meta({
      description:
        'The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor` continues the list.',
      examples: [20],
    }),
  cursor: text({ min: 1, max: maxCursor })
    .optional()
    .meta({
      description:
        'The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to.',
      examples: ['q8Zr1m0XbJv2T5nYw3KcUFsiYWd0XzAxbTJrN3F2M2gwMDAweDR0OXc4YzVuMXI2eWJkeiJd'],
    }),
};

const maxWaitSeconds = 25;

/** The query parameter of a list that can wait for something new. It is not a filter: each page may set it anew. */
export const waitParameter = {
  waitSeconds: z
    .int()
    .min(0)
    .max(maxWaitSeconds)
    .default(0)
    .meta({
      description: 'How many seconds to wait if there is nothing to return yet. The page can still be empty.',
      examples: [25],
    }),
};

/** The parameters that say which part of a list to return and how. All others are filters. */
const pagingNames: ReadonlySet<string> = new Set([...Object.keys(pageParameters), ...Object.keys(waitParameter)]);

/** The filters among the parameters of a list, or among the fields of the body of a search. */
export function filterNamesIn(shape: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(shape).filter((name) => !pagingNames.has(name));
}

const pagination = z
  .strictObject({
    nextCursor: z
      .string()
      .max(maxCursor)
      .nullable()
      .meta({
        description: 'Send it as `cursor` to get the next page. Null on the last page.',
        examples: [null],
      }),
  })
  .meta({ id: 'Pagination', description: 'Where the list continues.' });

/** The pagination of a list that always fits on one page. */
export const onePage = z
  .strictObject({
    nextCursor: z.null().meta({ description: 'Always null: the list has one page.', examples: [null] }),
  })
  .meta({ id: 'OnePage', description: 'The list has one page.' });

/** The envelope of every list. Totals are not part of it. */
function page<Item extends z.ZodType>(id: string, item: Item, order: string) {
  return z
    .strictObject({
      items: z.array(item).meta({ description: `The items of this page, ${order}.` }),
      pagination,
    })
    .meta({ id, description: 'One page of a list.' });
}

/** The success response of every list. */
export function pageSuccess<Item extends z.ZodType>(
  id: string,
  item: Item,
  description: string,
  order = 'newest first',
) {
  return {
    status: 200,
    description,
    body: page(id, item, order),
    headers: { Link: 'The URL of the next page, with `rel="next"`; absent on the last page.' },
  } as const;
}

/** The same for a search, which has no URL of the next page. */
export function searchSuccess<Success extends { readonly headers: object }>({ headers: _, ...success }: Success) {
  return success;
}
