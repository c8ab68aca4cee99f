import type { Turn as VoiceTurn } from '../../voice/ports.ts';
import { paint } from '../context.ts';
import { visible, visibleLines, wrapped } from './text.ts';

/** What is shown of a turn, of a simulation or of a call. */
type Turn = Omit<VoiceTurn, 'words' | 'latency' | 'sources'> & {
  readonly latency: { readonly e2eMs: number | null } | null;
};

/** How a call ended. */
export interface CallEnd {
  readonly reason: string;
  readonly atMs: number;
}

/** Shorter pauses are part of every conversation. */
const shownSilenceMs = 2000;
/** Below the text of a line. */
export const indent = ' '.repeat(17);
const longestValue = 200;

/** The turns of a call on a timeline: when, who and what, with silences and latencies. */
export function describeTranscript(turns: readonly Turn[], end: CallEnd | null, stream: NodeJS.WriteStream): string {
  const lines: string[] = [];
  let quietSince = 0;
  const pass = (startMs: number, endMs: number) => {
    if (startMs - quietSince >= shownSilenceMs) {
      const seconds = ((startMs - quietSince) / 1000).toFixed(1);
      lines.push(paint('dim', `${indent}… ${seconds} s of silence`, stream));
    }
    quietSince = Math.max(quietSince, endMs);
  };
  // A turn is recorded when it is over, so that one that began earlier can follow.
  for (const turn of turns.toSorted((a, b) => a.startMs - b.startMs || a.index - b.index)) {
    pass(turn.startMs, turn.endMs);
    lines.push(...describeTurn(turn, stream));
  }
  if (end !== null) {
    pass(end.atMs, end.atMs);
    lines.push(`${head(end.atMs, 'end', 'gray', stream)}${paint('gray', end.reason, stream)}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

export function timeText(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const minutes = String(Math.floor(tenths / 600)).padStart(2, '0');
  return `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`;
}

const colors = { agent: 'cyan', caller: 'green', tool: 'magenta', end: 'gray' } as const;

/** The time and the role, before the text of a line. */
export function head(
  ms: number,
  role: keyof typeof colors,
  color: (typeof colors)[keyof typeof colors],
  stream: NodeJS.WriteStream,
): string {
  return `${paint('gray', timeText(ms), stream)}  ${paint(color, role.padEnd(6), stream)}  `;
}

export function describeTurn(turn: Turn, stream: NodeJS.WriteStream): string[] {
  const start = head(turn.startMs, turn.role, colors[turn.role], stream);
  const texts = turn.toolCall === null ? visibleLines(turn.text.trim()) : [describeTool(turn.toolCall)];
  const width = stream.isTTY ? Math.max(20, (stream.columns || 80) - indent.length) : Number.POSITIVE_INFINITY;
  const lines = texts
    .flatMap((text) => wrapped(text, width))
    .map((line, index) => `${index === 0 ? start : indent}${line.trimEnd()}`);
  const last = lines.length - 1;
  lines[last] = `${lines[last]}${unheardOf(turn, stream)}${noteOf(turn, stream)}`;
  return lines;
}

/** What an interrupted turn would have said: struck out, or in brackets without colors. */
export function unheardOf({ interrupted, unspokenText }: Turn, stream: NodeJS.WriteStream): string {
  const rest = visible(unspokenText?.trim() ?? '');
  if (!interrupted || rest === '') return '';
  const struck = paint(['strikethrough', 'dim'], rest, stream);
  return struck === rest ? ` [not heard: ${rest}]` : struck;
}

/** Why the agent spoke, and how long the caller waited for it. */
export function noteOf({ source, latency }: Turn, stream: NodeJS.WriteStream): string {
  const parts = [...(notes[source ?? ''] ?? []), ...(latency?.e2eMs == null ? [] : [`${latency.e2eMs} ms`])];
  return parts.length === 0 ? '' : `  ${paint('gray', `· ${parts.join(', ')}`, stream)}`;
}

/** What the agent says on its own behalf. */
const notes: Readonly<Record<string, readonly string[]>> = {
  reminder: ['reminder'],
  waiting: ['while the caller waits'],
  fallback: ['the reply failed'],
};

export function describeTool(call: NonNullable<Turn['toolCall']>): string {
  const { name, arguments: values, result, isError, isExample } = call;
  const outcome = isError ? `error: ${visible(String(result))}` : json(result);
  return `${visible(name)} ${json(values)} → ${outcome}${isExample ? ' (example)' : ''}`;
}

function json(value: unknown): string {
  const text = visible(JSON.stringify(value) ?? 'null');
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 1)}…`;
}
