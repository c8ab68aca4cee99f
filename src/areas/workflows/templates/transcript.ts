import type { Turn } from '../../../contract/calls/turn.ts';
import { maxRenderedBytes, tooLarge } from './renderer.ts';

/** `{{transcript.text}}`: what was said, as lines. Null if nothing was. Throws a StepFailure for more than a step may have. */
export async function transcriptText(turns: AsyncIterable<Turn>): Promise<string | null> {
  const lines: string[] = [];
  let length = 0;
  for await (const { role, text } of turns) {
    if (role === 'tool' || text === '') continue;
    length += text.length;
    if (length > maxRenderedBytes) throw tooLarge();
    lines.push(`${role}: ${text}`);
  }
  return lines.length === 0 ? null : lines.join('\n');
}
