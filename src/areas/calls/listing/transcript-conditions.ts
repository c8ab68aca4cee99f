import { transcriptField } from '../../../contract/calls/fields.ts';
import type { Filter, FilterLeaf } from '../../../contract/filter.ts';
import type { AddParameter } from '../../../core/filter-sql.ts';
import type { Dialect, Reader } from '../../../storage/database.ts';
import { comparedText, signatureColumns, signatureOf } from '../record/transcript-text.ts';

/** How many of the newest texts tell whether a text is common, and from which share on it is. */
const sampleSize = 500;
const commonShare = 0.1;

export function isTranscriptLeaf({ field }: FilterLeaf): boolean {
  return field === transcriptField;
}

/** The leaves of a filter that are about what was said. */
export function transcriptLeaves(filter: Filter): FilterLeaf[] {
  if ('all' in filter) return filter.all.flatMap(transcriptLeaves);
  if ('any' in filter) return filter.any.flatMap(transcriptLeaves);
  if ('not' in filter) return transcriptLeaves(filter.not);
  return isTranscriptLeaf(filter) ? [filter] : [];
}

/**
 * A condition on rows of `calls`, for a statement whose parameters are the workspace and the two ends of a step.
 * `byText`: the texts of the step are searched first, which is best for a rare text. Otherwise the text of each call is
 * looked up that fulfills the other conditions.
 */
export function transcriptCondition(
  leaf: FilterLeaf,
  dialect: Dialect,
  byText: boolean,
): (add: AddParameter) => string {
  const matches = matchOf(leaf, dialect);
  if (byText) {
    return (add) =>
      `id IN (SELECT call_id FROM call_texts
        WHERE workspace_id = $1 AND call_id < $2 AND call_id >= $3 AND ${matches(add)})`;
  }
  return (add) => `coalesce((SELECT ${matches(add)} FROM call_texts WHERE workspace_id = $1 AND call_id = id), FALSE)`;
}

/** Whether many of the calls before this one have it, judging by the newest of them. */
export async function isCommon(
  reader: Pick<Reader, 'adHoc' | 'dialect'>,
  workspaceId: string,
  before: string,
  leaf: FilterLeaf,
): Promise<boolean> {
  const parameters = [workspaceId, before];
  const matches = matchOf(leaf, reader.dialect)((value) => `$${parameters.push(value as string)}`);
  const row = await reader.adHoc.get<{ sampled: number; matching: number }>(
    `SELECT count(*) AS sampled, count(CASE WHEN ${matches} THEN 1 END) AS matching FROM (
        SELECT * FROM call_texts WHERE workspace_id = $1 AND call_id < $2 ORDER BY call_id DESC LIMIT ${sampleSize}
      ) AS newest`,
    parameters,
  );
  return row !== undefined && row.matching > row.sampled * commonShare;
}

/** Whether the row of `call_texts` has the text: its signature is compared first, which is fast. */
function matchOf({ value }: FilterLeaf, dialect: Dialect): (add: AddParameter) => string {
  const text = comparedText(value as string);
  const bits = signatureOf(text).flatMap((bits, place) =>
    bits === 0 ? [] : [`(${signatureColumns[place]} & ${bits}) = ${bits}`],
  );
  // PostgreSQL compares what it takes for the cheapest first; only CASE has an order.
  return (add) => {
    const contains = dialect.contains('content', add(text));
    return bits.length === 0 ? contains : `CASE WHEN ${bits.join(' AND ')} THEN ${contains} ELSE FALSE END`;
  };
}
