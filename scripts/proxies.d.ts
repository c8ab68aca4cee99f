export function findProxy(name: 'nginx' | 'caddy'): string | undefined;
export function ensureProxies(): void;
