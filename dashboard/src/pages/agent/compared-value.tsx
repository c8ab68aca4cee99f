import { Title } from '@mantine/core';
import { useMemo } from 'react';
import { type DiffLine, diffLines } from '../../../../src/core/line-diff.ts';
import { useLanguage } from '../../language/language.tsx';
import { Scrollable } from '../../parts/scrollable.tsx';
import classes from './compared-value.module.css';
import { groupLabel, labelOf } from './field-texts.ts';
import type { Field } from './fields.ts';
import { longValue, shortValue } from './shown-value.ts';
import { useAgentTexts } from './texts.ts';

interface ValueBoxProps {
  readonly field: Field;
  readonly value: unknown;
  readonly tone?: 'removed' | 'added';
}

/** A read-only value, shown next to another one. */
export function ValueBox({ field, value, tone }: ValueBoxProps) {
  const texts = useAgentTexts();
  const { language } = useLanguage();
  const isAbsent = value === undefined || value === null || value === '';
  const isLong = !isAbsent && (typeof value === 'object' || (typeof value === 'string' && value.includes('\n')));
  const shown = isLong ? longValue(value) : shortValue(value, field, texts, language);
  return (
    <pre
      className={classes.value}
      data-tone={tone}
      data-is-absent={isAbsent || undefined}
      data-is-code={(isLong && typeof value === 'object') || undefined}
      style={{ fontFamily: isLong ? undefined : 'inherit' }}
    >
      {shown === '' ? texts.emptyList : shown}
    </pre>
  );
}

/** Whether a line diff is more useful than showing both values. */
export function isLineWise(...values: readonly unknown[]): boolean {
  const isText = (value: unknown) => typeof value === 'string' || (typeof value === 'object' && value !== null);
  return values.every(isText) && values.some((value) => longValue(value).includes('\n'));
}

const signs = { same: '', removed: '−', added: '+' } as const;

/** The number of context lines around a change. */
const context = 3;

/** Memoized, because a long text can take a tenth of a second. */
function useDiffLines(before: unknown, after: unknown): DiffLine[] {
  const [old, young] = [longValue(before), longValue(after)];
  return useMemo(() => diffLines(old, young), [old, young]);
}

export function LineDiff({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const texts = useAgentTexts();
  const lines = useDiffLines(before, after);
  return (
    <Scrollable className={classes.lines} label={texts.differences(lines.filter(isChange).length)}>
      {shortened(lines).map((part) =>
        'skipped' in part ? (
          <div key={part.key} className={classes.skip}>
            {texts.unchangedLines(part.skipped)}
          </div>
        ) : (
          <div key={part.key} className={classes.line} data-kind={part.line.kind}>
            <span aria-hidden="true">{signs[part.line.kind]}</span>
            <span>
              {part.line.kind !== 'same' && (
                <span className="visually-hidden">{part.line.kind === 'added' ? texts.added : texts.removed}: </span>
              )}
              {part.line.text || '\u00a0'}
            </span>
          </div>
        ),
      )}
    </Scrollable>
  );
}

/** The old text on the left and the new one on the right, line by line. */
export function SideBySide({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const texts = useAgentTexts();
  const lines = useDiffLines(before, after);
  return (
    <Scrollable className={classes.lines} label={texts.differences(lines.filter(isChange).length)}>
      {rowsOf(shortened(lines)).map((row) =>
        'skipped' in row ? (
          <div key={row.key} className={classes.skip}>
            {texts.unchangedLines(row.skipped)}
          </div>
        ) : (
          <div key={row.key} className={classes.split}>
            <SplitLine line={row.left} />
            <SplitLine line={row.right} />
          </div>
        ),
      )}
    </Scrollable>
  );
}

function SplitLine({ line }: { readonly line: DiffLine | undefined }) {
  const texts = useAgentTexts();
  if (line === undefined) return <div className={classes.void} />;
  return (
    <div className={classes.line} data-kind={line.kind}>
      <span aria-hidden="true">{signs[line.kind]}</span>
      <span>
        {line.kind !== 'same' && (
          <span className="visually-hidden">{line.kind === 'added' ? texts.added : texts.removed}: </span>
        )}
        {line.text || '\u00a0'}
      </span>
    </div>
  );
}

type Row = { readonly key: number } & (
  | { readonly left?: DiffLine | undefined; readonly right?: DiffLine | undefined }
  | { readonly skipped: number }
);

/** Added lines are shown next to the lines removed just before them. */
function rowsOf(parts: readonly Part[]): Row[] {
  const rows: Row[] = [];
  /** The first removed line without an added line next to it. */
  let unpaired = 0;
  for (const part of parts) {
    if (!('skipped' in part) && part.line.kind === 'removed') {
      rows.push({ key: part.key, left: part.line });
    } else if (!('skipped' in part) && part.line.kind === 'added') {
      rows[unpaired] = { key: part.key, ...rows[unpaired], right: part.line };
      unpaired += 1;
    } else {
      rows.push('skipped' in part ? part : { key: part.key, left: part.line, right: part.line });
      unpaired = rows.length;
    }
  }
  return rows;
}

type Part = { readonly key: number } & ({ readonly line: DiffLine } | { readonly skipped: number });

function isChange({ kind }: DiffLine): boolean {
  return kind !== 'same';
}

/** Long unchanged sections are replaced by their number of lines. */
function shortened(lines: readonly DiffLine[]): Part[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, line] of lines.entries()) {
    if (isChange(line)) isNear.fill(1, Math.max(0, index - context), index + context + 1);
  }
  const parts: Part[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    if (isNear[index]) {
      parts.push({ key: index, line: lines[index] as DiffLine });
      continue;
    }
    const next = isNear.indexOf(1, index);
    const end = next === -1 ? lines.length : next;
    parts.push({ key: index, skipped: end - index });
    index = end - 1;
  }
  return parts;
}

/** The compared field, with its group in the form. */
export function FieldTitle({ field, order }: { readonly field: Field; readonly order: 3 | 4 }) {
  const { language } = useLanguage();
  return (
    <Title order={order} className={classes.fieldTitle as string}>
      <span className={classes.group}>{groupLabel(field.group, language)} · </span>
      {labelOf(field.name, language)}
    </Title>
  );
}
