import { readFileSync } from 'node:fs';

const established = '01';

/**
 * The number of open connections on the port of a service, according to the kernel (Linux). A client that does not read
 * cannot notice that the other side has closed.
 */
export function connectionsOn(port: number): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((file) => readFileSync(file, 'latin1').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(end) && state === established).length;
}
