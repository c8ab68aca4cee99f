import type { FastifyInstance } from 'fastify';
import { buildLlmsText } from '../contract/llms.ts';
import { buildOpenApi } from '../contract/openapi.ts';
import { serviceUnavailable } from '../errors.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { sendError } from './errors.ts';
import type { RequestMetrics } from './metrics.ts';

export interface SystemParts {
  readonly metrics: RequestMetrics;
  /** Throws when the database cannot be asked, or has another schema than ours. */
  readonly checkDatabase: () => Promise<void>;
  readonly lifecycle: Lifecycle;
}

/** What the process tells of itself: to load balancers, to Prometheus, to people and to programs. None needs a key. */
export function registerSystemRoutes(
  server: FastifyInstance,
  { metrics, checkDatabase, lifecycle }: SystemParts,
): void {
  let openApi: string | undefined;
  const llmsText = buildLlmsText();

  server.get('/healthz', { config: { operationId: 'healthz' } }, async () => ({ status: 'ok' }));
  server.get('/readyz', { config: { operationId: 'readyz' } }, async (request, reply) => {
    if (lifecycle.stage !== 'serving') {
      // Sent, not thrown: it is no fault, and nothing for the log.
      sendError(request, reply, serviceUnavailable('The service is shutting down.'));
      return reply;
    }
    await checkDatabase();
    return { status: 'ready' };
  });
  server.get('/metrics', { config: { operationId: 'metrics' } }, async (_request, reply) => {
    const { contentType, text } = await metrics.render();
    return reply.type(contentType).send(text);
  });
  server.get('/openapi.json', { config: { operationId: 'openapi' } }, async (_request, reply) => {
    // Most instances are never asked for it, and it takes as long to build as a tenth of the start.
    openApi ??= JSON.stringify(buildOpenApi());
    return reply.type('application/json').send(openApi);
  });
  server.get('/llms.txt', { config: { operationId: 'llms' } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText),
  );
}
