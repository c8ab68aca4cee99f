import type { ServiceProcess } from '../support/process.ts';

const warning = 'the key that seals secrets is stored in the same database as the secrets: set DATA_KEY';

/** How often a service has warned that its data key is stored next to what it seals. */
export function storedKeyWarnings(service: ServiceProcess): number {
  return service
    .output()
    .split('\n')
    .filter((line) => line.includes(warning)).length;
}
