import { fixedFields } from '../../../contract/analytics/fields.ts';
import type { Filter } from '../../../contract/filter.ts';
import { valueReader } from '../../../core/call-values.ts';
import { compileFilter, leavesOf } from '../../../core/filter.ts';
import { fieldValueOf } from '../../../core/filter-sql.ts';
import { columnOf } from '../facts/columns.ts';
import { dayOfWeek, hourOfDay, type Offset } from './ranges.ts';
import type { Batch } from './scan.ts';

/** Reads the value of a field of each call; null or undefined for none. */
export interface FieldReader {
  /** What it needs to be read. */
  readonly columns: readonly string[];
  read(batch: Batch): (row: number) => unknown;
}

/** `offsets`: of the time zone of the query, in the range that is read. */
export function fieldReader(field: string, offsets: readonly Offset[]): FieldReader {
  const local = field === 'hourOfDay' ? hourOfDay : field === 'dayOfWeek' ? dayOfWeek : undefined;
  if (local !== undefined) return localTimeReader(local, offsets);
  const column = columnOf(field);
  if (column !== undefined) {
    const isPlain = column.field.type === 'string' || column.field.type === 'number';
    return {
      columns: [column.name],
      read: (batch) => {
        const values = batch.column(column.name);
        return isPlain ? (row) => values[row] : (row) => fieldValueOf(column, values[row]);
      },
    };
  }
  if (fixedFields.has(field)) throw new Error(`the field ${field} has no column`);
  const readValue = valueReader(field);
  return {
    columns: ['search_values'],
    read: (batch) => {
      const texts = batch.column('search_values');
      return (row) => {
        const value = readValue(texts[row] as string);
        // An object or a list.
        return typeof value === 'object' ? [] : value;
      };
    },
  };
}

function localTimeReader(local: (localMs: number) => number, offsets: readonly Offset[]): FieldReader {
  return {
    columns: ['created_at'],
    read: (batch) => {
      const times = batch.numbers('created_at');
      let place = 0;
      return (row) => {
        const time = times[row] as number;
        // Rows are in the order of time, except that a filter may start again from the first.
        if (time < (offsets[place]?.from ?? 0)) place = 0;
        while (time >= (offsets[place]?.to ?? Number.POSITIVE_INFINITY)) place += 1;
        return local(time + (offsets[place]?.offsetMs ?? 0));
      };
    },
  };
}

/** Decides about each call. */
export interface CallMatcher {
  readonly columns: readonly string[];
  match(batch: Batch): (row: number) => boolean;
}

export function callMatcher(filter: Filter, offsets: readonly Offset[]): CallMatcher {
  const readers = new Map(leavesOf(filter).map(({ field }) => [field, fieldReader(field, offsets)]));
  const matches = compileFilter(filter, undefined, (field) => columnOf(field)?.field.type === 'time');
  return {
    columns: [...readers.values()].flatMap(({ columns }) => columns),
    match: (batch) => {
      const reads = new Map([...readers].map(([field, reader]) => [field, reader.read(batch)]));
      return (row) => matches((field) => reads.get(field)?.(row));
    },
  };
}
