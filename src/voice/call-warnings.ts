import type { RecordedEvent } from './ports.ts';

/** Said once in a call, however often a text is filled. */
const saidOnce = new Set(['unknown_variable', 'text_too_long', 'variable_not_set']);
/** A prompt can have thousands of names without a value. */
const maxSaidOnce = 100;

/** Whether an event is recorded: a warning about a text is not repeated. Remembers it in `known`. */
export function isRecorded(event: RecordedEvent, known: Set<string>): boolean {
  if (event.type !== 'warning' || !saidOnce.has(event.code)) return true;
  if (known.has(event.message) || known.size >= maxSaidOnce) return false;
  known.add(event.message);
  return true;
}
