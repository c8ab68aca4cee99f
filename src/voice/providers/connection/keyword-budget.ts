/** Words are given in full, in their order, until a vendor's limit on tokens is reached. */
export function keywordsWithin(
  keywords: readonly string[],
  limits: { readonly words: number; readonly tokens: number },
): readonly string[] {
  const kept: string[] = [];
  let tokens = 0;
  for (const keyword of keywords) {
    // More than any tokenizer makes of it: a request with too many is rejected as a whole.
    tokens += Math.ceil(Buffer.byteLength(keyword) / 2) + 1;
    if (kept.length === limits.words || tokens > limits.tokens) break;
    kept.push(keyword);
  }
  return kept;
}

export function keywordsNotApplied(keywords: readonly string[], limits: Parameters<typeof keywordsWithin>[1]) {
  const isWhole = keywordsWithin(keywords, limits).length === keywords.length;
  return isWhole ? [] : [{ field: 'boostedKeywords', reason: 'clamped' } as const];
}
