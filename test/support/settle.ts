import { send } from './client.ts';

/** When it resolves, everything sent earlier on any connection has been read and started. */
export async function settle(service: { url: string }): Promise<void> {
  for (let count = 0; count < 5; count += 1) await send(service, 'GET', '/healthz');
}
