import type { Break } from './break.ts';

export const breaks: readonly Break[] = [];
