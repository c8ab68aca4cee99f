import helmet from '@fastify/helmet';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { buildLlmsText } from '../contract/llms.ts';
import { buildOpenApi } from '../contract/openapi.ts';
import { serviceUnavailable } from '../errors.ts';
import type { RequestMetrics } from './metrics.ts';

export interface SystemParts {
  readonly metrics: RequestMetrics;
  /** Throws when the database cannot be asked, or has another schema than ours. */
  readonly checkDatabase: () => Promise<void>;
  readonly isDraining: () => boolean;
}

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6bcb"/><path d="M8 13v6M12 9v14M16 12v8M20 7v18M24 13v6" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

/** What the process tells of itself: to load balancers, to Prometheus, to people and to programs. None needs a key. */
export function registerSystemRoutes(
  server: FastifyInstance,
  { metrics, checkDatabase, isDraining }: SystemParts,
): void {
  const openApi = JSON.stringify(buildOpenApi());
  const llmsText = buildLlmsText();

  server.get('/healthz', { config: { operationId: 'healthz' } }, async () => ({ status: 'ok' }));
  server.get('/readyz', { config: { operationId: 'readyz' } }, async () => {
    if (isDraining()) throw serviceUnavailable('The service is shutting down.');
    await checkDatabase();
    return { status: 'ready' };
  });
  server.get('/metrics', { config: { operationId: 'metrics' } }, async (_request, reply) => {
    const { contentType, text } = await metrics.render();
    return reply.type(contentType).send(text);
  });
  server.get('/openapi.json', { config: { operationId: 'openapi' } }, async (_request, reply) =>
    reply.type('application/json').send(openApi),
  );
  server.get('/llms.txt', { config: { operationId: 'llms' } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText),
  );
  server.get('/favicon.svg', { config: { operationId: 'favicon' } }, async (_request, reply) =>
    reply.type('image/svg+xml').send(favicon),
  );
  server.get('/', { config: { operationId: 'home' } }, async (_request, reply) => reply.redirect('/docs/', 302));

  // In a scope of its own, so that its headers are not put on every answer of the API.
  server.register(async (page) => {
    await page.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        // The page may talk to this service and to nobody else.
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'", "'unsafe-inline'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:'],
          fontSrc: ["'self'", 'data:'],
          connectSrc: ["'self'"],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      // Plain HTTP is a fair way to run this on one's own machine.
      strictTransportSecurity: false,
    });
    await page.register(apiReference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Voice Agent Service: reference',
        favicon: '/favicon.svg',
        authentication: { preferredSecurityScheme: 'bearer' },
        withDefaultFonts: false,
        telemetry: false,
        showDeveloperTools: 'never',
        hideClientButton: true,
        defaultOpenAllTags: true,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}
