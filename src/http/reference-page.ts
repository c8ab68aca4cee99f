import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance } from 'fastify';

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6bcb"/><path d="M8 13v6M12 9v14M16 12v8M20 7v18M24 13v6" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

/** The reference page for people, from our own origin and held to it by its policy. */
export function registerReferencePage(server: FastifyInstance): void {
  let rendered: ReturnType<typeof render> | undefined;
  const parts = () => {
    rendered ??= render();
    return rendered;
  };

  // In a scope of its own, so that its headers are not put on every answer of the API.
  server.register(async (scope) => {
    await scope.register(helmet, {
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
    const config = { operationId: 'docs' };
    scope.get('/docs', { config }, async (_request, reply) => reply.redirect('/docs/', 301));
    scope.get('/docs/', { config }, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send((await parts()).page),
    );
    scope.get('/docs/js/scalar.js', { config }, async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send((await parts()).script),
    );
    scope.get('/docs/favicon.svg', { config }, async (_request, reply) => reply.type('image/svg+xml').send(favicon));
  });
}

/** Four megabytes of script that most instances never show: loaded when the page is first asked for, not at the start. */
async function render(): Promise<{ page: Buffer; script: Buffer }> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const press = Fastify();
  await press.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Voice Agent Service: reference',
      favicon: '/docs/favicon.svg',
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
  const page = await press.inject('/docs/');
  const script = await press.inject('/docs/js/scalar.js');
  await press.close();
  return { page: page.rawPayload, script: script.rawPayload };
}
