import { z } from 'zod';

const maxValues = 10;

/**
 * A query parameter with several values, separated by commas or repeated: `status=ongoing,ended` or
 * `status=ongoing&status=ended`. The schema of an item says what each may be; whole numbers are converted.
 */
export function commaSeparated<Item extends z.ZodType>(item: Item, max: number = maxValues) {
  const isWholeNumber = z.toJSONSchema(item, { io: 'input' }).type === 'integer';
  const itemOf = (text: string): unknown => {
    // An empty item is missing, whatever the schema says about empty texts.
    if (text === '') return undefined;
    return isWholeNumber && /^\d{1,15}$/.test(text) ? Number(text) : text;
  };
  return z.preprocess(
    (text) => (typeof text === 'string' ? text.split(',').map(itemOf) : text),
    z.array(item).min(1).max(max),
  );
}

/** A query parameter that is `true` or `false`. */
export const queryBoolean = z.preprocess(
  (text) => (text === 'true' ? true : text === 'false' ? false : text),
  z.boolean(),
);

/** A time in a query, with any offset, as milliseconds since the epoch. */
export const queryTime = z
  // A plus sign that was not percent-encoded arrives as a space, which is never part of a time.
  .preprocess(
    (text) => (typeof text === 'string' ? text.replace(/ (?=\d\d:\d\d$)/, '+') : text),
    z.iso.datetime({ offset: true }),
  )
  .transform((text) => Date.parse(text));
