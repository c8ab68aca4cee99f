import type { AnalysisIssue, AnalysisItem, Findings } from './task.ts';

/** Whether a repair could help: a quote that is not in the transcript is left out instead. */
export function repairable(findings: Findings): readonly AnalysisIssue[] {
  return findings.issues.filter(({ code }) => code !== 'unsupported_by_transcript');
}

/** The second output, and what only the first one had right. */
export function repaired(first: Findings, second: Findings, items: readonly AnalysisItem[]): Findings {
  return choose(items, (field) => (isWrong(second, field) && !isWrong(first, field) ? first : second));
}

/**
 * The findings of consecutive parts of one call: the last stated value wins. If all that were stated were wrong, the last
 * issue tells why there is none.
 */
export function lastStated(
  parts: readonly Findings[],
  items: readonly AnalysisItem[],
  summary: string | null,
): Findings {
  const last = parts.at(-1) as Findings;
  const combined = choose(
    items,
    (field) =>
      parts.findLast((part) => valueIn(part, field) !== null) ??
      parts.findLast((part) => isStatedWrong(part, field)) ??
      last,
  );
  return { ...combined, summary };
}

type Field =
  | { readonly kind: 'summary' | 'successful' | 'sentiment'; readonly path: string }
  | { readonly kind: 'data'; readonly name: string; readonly path: string };

function choose(items: readonly AnalysisItem[], from: (field: Field) => Findings): Findings {
  const own = (kind: 'summary' | 'successful' | 'sentiment'): Field => ({ kind, path: kind });
  const fields = items.map(({ name }): Field & { kind: 'data' } => ({ kind: 'data', name, path: `data.${name}` }));
  const [summary, successful, sentiment] = [own('summary'), own('successful'), own('sentiment')];
  return {
    summary: from(summary).summary,
    successful: from(successful).successful,
    sentiment: from(sentiment).sentiment,
    data: Object.fromEntries(fields.map((field) => [field.name, from(field).data[field.name] ?? null])),
    evidence: {
      successful: from(successful).evidence.successful,
      sentiment: from(sentiment).evidence.sentiment,
      data: Object.fromEntries(fields.map((field) => [field.name, from(field).evidence.data[field.name] ?? null])),
    },
    issues: [summary, successful, sentiment, ...fields].flatMap((field) =>
      from(field).issues.filter((issue) => issue.field === field.path),
    ),
  };
}

function isWrong(findings: Findings, { path }: Field): boolean {
  return repairable(findings).some(({ field }) => field === path);
}

function isStatedWrong({ issues }: Findings, { path }: Field): boolean {
  return issues.some(({ field, code }) => field === path && (code === 'wrong_type' || code === 'not_an_option'));
}

function valueIn(findings: Findings, field: Field): unknown {
  return field.kind === 'data' ? findings.data[field.name] : findings[field.kind];
}
