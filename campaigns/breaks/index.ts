import type { Break } from './break.ts';

/** All breaks, campaign by campaign. */
export const allBreaks: readonly Break[] = [];
