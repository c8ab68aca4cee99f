import { stringify } from 'yaml';
import { type DiffLine, diffLines } from '../../core/line-diff.ts';
import { paint } from '../context.ts';
import { visible } from '../terminal/text.ts';
import { fieldName } from './agent-file.ts';
import type { FieldChange } from './changes.ts';

const maxValue = 80;
const maxLine = 120;
const maxLines = 12;
const contextLines = 1;
const signs = { same: ' ', removed: '-', added: '+' } as const;

/** A human-readable change: one line, or for long texts the lines that differ. */
export function describeChange({ path, from, to }: FieldChange, stream: NodeJS.WriteStream): string[] {
  const name = visible(fieldName(path));
  if (!isLongText(from) && !isLongText(to)) {
    if (from === undefined) return [`${name}: ${valueText(to)}`];
    return [`${name}: ${valueText(from)} → ${to === undefined ? '(none)' : valueText(to)}`];
  }
  const [before, after] = [textOf(from), textOf(to)];
  if (before === null) return [`${name}: ${summary(after ?? '')}`];
  if (after === null) return [`${name}: ${summary(before)} → ${to === undefined ? '(none)' : valueText(to)}`];
  const lines = changedLines(before, after).filter(({ kind, text }) => kind !== 'same' || text.trim() !== '');
  const skip = lines.length <= 2 ? commonStart(before, after) : 0;
  const shown = lines.slice(0, maxLines).map((line) => `  ${painted(line, skip, stream)}`);
  const rest = lines.length - shown.length;
  return [`${name}:`, ...shown, ...(rest > 0 ? [`  … ${rest} more ${rest === 1 ? 'line' : 'lines'}`] : [])];
}

/** The lines that differ, each with one line of context. */
export function changedLines(before: string, after: string): DiffLine[] {
  const lines = diffLines(before, after);
  return lines.filter((_, index) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ kind }) => kind !== 'same'),
  );
}

/** One value on one line. */
export function valueText(value: unknown): string {
  if (value === undefined) return '(none)';
  return clipped(visible(JSON.stringify(value)), maxValue);
}

function isLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > maxValue || value.includes('\n');
  return isNested(value) && JSON.stringify(value).length > maxValue;
}

/** Lists and objects as in a file, where a changed line can be found. Null if the value has only one line. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isNested(value) ? stringify(value, { lineWidth: 0 }) : null;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function summary(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const first = clipped(visible(lines[0] ?? ''), 60);
  const size = lines.length > 1 ? `${lines.length} lines` : `${text.length} characters`;
  return `${first} (${size})`;
}

/** If long lines differ late, the display starts shortly before the difference. */
function commonStart(before: string, after: string): number {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  return Math.max(before.length, after.length) > maxLine ? Math.max(0, same - 20) : 0;
}

function painted({ kind, text }: DiffLine, skip: number, stream: NodeJS.WriteStream): string {
  const line = `${signs[kind]} ${skip > 0 ? '…' : ''}${clipped(visible(text.slice(skip)), maxLine)}`;
  if (kind === 'same') return line;
  return paint(kind === 'added' ? 'green' : 'red', line, stream);
}

function clipped(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}
