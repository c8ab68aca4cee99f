import { send } from './client.ts';

/** What was sent before this on any connection has been read, and begun, when it resolves. */
export async function settle(service: { url: string }): Promise<void> {
  for (let count = 0; count < 5; count += 1) await send(service, 'GET', '/healthz');
}
