export function findCollector(): string | undefined;
export function ensureCollector(): void;
