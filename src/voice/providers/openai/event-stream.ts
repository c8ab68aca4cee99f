import { setImmediate as nextTurn } from 'node:timers/promises';
import { MalformedReply } from './failure.ts';

/** The maximum length of a line, or of a response that is not a stream. A reply of a model is far shorter. */
const maxLength = 1024 * 1024;
const field = /^(?:data|event|id|retry)?:/;
/** After this many lines that arrived together, others get their turn: a server may send thousands at once. */
const linesPerTurn = 100;

/**
 * Reads the events of a response; `onData` gets the data of each. Some servers answer a request for a stream with one
 * JSON object, and proxies with a page: resolves to the whole text then, and to null otherwise.
 */
export async function readEvents(
  body: AsyncIterable<Uint8Array>,
  onData: (data: string) => void,
): Promise<string | null> {
  let plain: string | null = null;
  let hasEvents = false;
  let data: string[] = [];
  const readLine = (line: string): void => {
    if (plain !== null) plain += `\n${line}`;
    else if (line === '') {
      if (data.length > 0) onData(data.join('\n'));
      data = [];
    } else if (!hasEvents && !field.test(line)) plain = line;
    else {
      hasEvents = true;
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  };
  for await (const line of linesOf(body)) {
    readLine(line);
    if ((plain ?? '').length > maxLength) throw new MalformedReply();
  }
  // Some servers do not send the empty line after the last event.
  readLine('');
  return plain;
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() as string;
    for (const [index, line] of lines.entries()) {
      if (index > 0 && index % linesPerTurn === 0) await nextTurn();
      yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    if (rest.length > maxLength) throw new MalformedReply();
  }
  if (rest !== '') yield rest;
}
