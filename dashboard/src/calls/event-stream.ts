/** One server-sent event. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a response. Chunks end anywhere: inside a line, a line break or a character. An event
 * that is not followed by an empty line was cut off, and is dropped as the format demands.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let name = '';
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '') {
          const [field, text] = fieldOf(line);
          if (field === 'event') name = text;
          if (field === 'data') data.push(text);
          continue;
        }
        if (data.length > 0) yield { name, data: data.join('\n') };
        name = '';
        data = [];
      }
    }
  } finally {
    // The reader may stop early, after which nothing else of the response is needed.
    reader.cancel().catch(() => {});
  }
}

/** A comment has an empty field name. */
function fieldOf(line: string): [field: string, text: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
