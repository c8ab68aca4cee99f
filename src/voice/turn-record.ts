/** What a turn of the transcript is, unless it says otherwise. */
export const emptyTurn = {
  source: null,
  unspokenText: null,
  words: [],
  interrupted: false,
  latency: null,
  sources: [],
  toolCall: null,
} as const;

export function roundedTimes(startMs: number, endMs: number) {
  return { startMs: Math.max(0, Math.round(startMs)), endMs: Math.max(0, Math.round(endMs)) };
}
