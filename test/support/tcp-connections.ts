import { readFileSync } from 'node:fs';

const established = '01';

/**
 * How many connections a service holds open on its port, by what the system tells (Linux). A client that does not read
 * cannot see by itself that the other side has gone.
 */
export function connectionsOn(port: number): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((file) => readFileSync(file, 'latin1').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(end) && state === established).length;
}
