import type { Measured, Memory, Results, Size } from './figures.ts';

const numbers = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Columns fit their content; all except the first are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  text.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return text.map((line) => `  ${line.trimEnd()}\n`).join('');
}

export function figure(value: number): string {
  return Number.isNaN(value) ? '–' : numbers.format(value);
}

export function measuredTable(measured: readonly Measured[]): string {
  return table(
    ['work', 'who', 'requests/s', 'median ms', 'p99 ms', 'server CPU µs', 'body bytes'],
    measured.map(({ work, subject, medians }) => [
      work,
      subject,
      figure(medians.requestsPerSecond),
      figure(medians.medianMs),
      figure(medians.p99Ms),
      figure(medians.cpuUsPerRequest),
      figure(medians.meanBodyBytes),
    ]),
  );
}

export function sizeTable(sizes: readonly Size[]): string {
  return table(
    ['size', 'start to first answer, ms', 'resident MB at the end'],
    sizes.map(({ title, firstAnswerMs, residentBytes }) => [title, figure(firstAnswerMs), figure(residentBytes / 1e6)]),
  );
}

export function memoryTable({ agents, idleBytes, connections, connectedBytes }: Memory): string {
  const heading = `${agents.toLocaleString('en')} agents`;
  return table(
    [heading, 'resident MB'],
    [
      ['idle', figure(idleBytes / 1e6)],
      [`with ${connections.toLocaleString('en')} open connections`, figure(connectedBytes / 1e6)],
    ],
  );
}

export function targetTable(targets: Results['targets']): string {
  return table(
    ['what', 'must hold', 'measured', '', 'also'],
    targets.map(({ title, bound, goal, unit, value, isReached, isDoubtful, note }) => [
      title,
      goal === null ? '' : `${bound === 'least' ? '≥' : '≤'} ${goal} ${unit}`,
      `${figure(value)} ${unit}`,
      isReached === null ? '' : `${isReached ? 'holds' : 'NOT'}${isDoubtful ? ' ?' : ''}`,
      note,
    ]),
  );
}
