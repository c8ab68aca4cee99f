import type { SearchResult } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, printResult } from '../context.ts';
import { visible } from '../terminal/text.ts';
import { findBase } from './find.ts';

interface SearchOptions extends CommandOptions {
  readonly limit?: number;
  readonly mode?: 'lexical' | 'hybrid';
  readonly minScore?: number;
}

export async function searchBase(
  target: string,
  query: string,
  { limit, mode, minScore, ...options }: SearchOptions,
  context: CommandContext,
): Promise<void> {
  const { client } = await connect(options, context.environment);
  const { id } = await findBase(client, target);
  const found = await client.knowledgeBases.search(id, {
    query,
    ...(limit !== undefined && { limit }),
    ...(mode !== undefined && { mode }),
    ...(minScore !== undefined && { minScore }),
  });
  const texts = found.results.map((result) => describe(result, context.stdout));
  const text = texts.length === 0 ? 'Nothing found.\n' : texts.join('\n');
  await printResult(found, text, options, context);
}

function describe({ score, documentName, chunk, highlights }: SearchResult, stdout: NodeJS.WriteStream): string {
  const page = chunk.page === null ? [] : [`page ${chunk.page}`];
  const place = [documentName, ...chunk.headingPath, ...page].map(visible).join(' › ');
  let text = '';
  let end = 0;
  for (const highlight of highlights) {
    const match = chunk.text.slice(highlight.start, highlight.end);
    text += shown(chunk.text.slice(end, highlight.start)) + paint('yellow', shown(match), stdout);
    end = highlight.end;
  }
  text += shown(chunk.text.slice(end));
  const lines = text.split('\n').map((line) => `  ${line}\n`);
  return `${paint('bold', `${score.toFixed(3)}  ${place}`, stdout)}\n${lines.join('')}`;
}

/** Control characters are escaped, lines are kept. */
function shown(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
