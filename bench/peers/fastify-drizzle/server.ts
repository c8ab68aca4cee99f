/**
 * Fastify and drizzle on SQLite: prepared statements, validation with TypeBox and Ajv, and serialization with
 * fast-json-stringify; with request ids, a rate limit and a log line per request, using the standard plugins.
 */
import { createHash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Database from 'better-sqlite3';
import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import Fastify from 'fastify';
import { destination } from 'pino';
import { Type } from 'typebox';
import { newAgentId, newRequestId } from '../shared/new-id.ts';
import { type Agent, agent, agentPage, type CreateAgent, createAgent, errorBody, listQuery } from './agent.ts';
import { agents, apiKeys, createTables } from './tables.ts';

declare module 'fastify' {
  interface FastifyRequest {
    workspaceId: string;
  }
  interface FastifyContextConfig {
    scope?: 'agents:read' | 'agents:write';
  }
}

const connection = new Database(process.env.DATABASE_FILE ?? 'agents.db');
connection.pragma('journal_mode = WAL');
connection.pragma('synchronous = FULL');
connection.pragma('cache_size = -65536');
connection.exec(createTables);
const database = drizzle({ client: connection, casing: 'snake_case' });

const columnNames = Object.keys(getTableColumns(agents));
const placeholders: unknown = Object.fromEntries(columnNames.map((name) => [name, sql.placeholder(name)]));
const findKey = database
  .select()
  .from(apiKeys)
  .where(eq(apiKeys.hash, sql.placeholder('hash')))
  .prepare();
const findAgent = database
  .select()
  .from(agents)
  .where(and(eq(agents.workspaceId, sql.placeholder('workspaceId')), eq(agents.id, sql.placeholder('id'))))
  .prepare();
const findPage = database
  .select()
  .from(agents)
  .where(and(eq(agents.workspaceId, sql.placeholder('workspaceId')), lt(agents.id, sql.placeholder('before'))))
  .orderBy(desc(agents.id))
  .limit(sql.placeholder('limit'))
  .prepare();
const insertAgent = database
  .insert(agents)
  .values(placeholders as typeof agents.$inferInsert)
  .prepare();

const server = Fastify({
  keepAliveTimeout: 72_000,
  // One line per request instead of two, written in batches.
  logger: { level: 'info', stream: destination({ fd: 1, sync: false, minLength: 8192 }) },
  disableRequestLogging: true,
  requestIdHeader: 'x-request-id',
  genReqId: newRequestId,
}).withTypeProvider<TypeBoxTypeProvider>();
server.decorateRequest('workspaceId', '');
await server.register(rateLimit, {
  max: 600_000,
  timeWindow: 60_000,
  keyGenerator: ({ headers, ip }) => headers.authorization ?? ip,
});

server.addHook('onRequest', (request, reply, done) => {
  reply.header('x-request-id', request.id);
  done();
});
server.addHook('onResponse', (request, reply, done) => {
  const { method, workspaceId, routeOptions } = request;
  request.log.info(
    { method, route: routeOptions.url, status: reply.statusCode, durationMs: reply.elapsedTime, workspaceId },
    'request',
  );
  done();
});

server.addHook('onRequest', async (request, reply) => {
  const { scope } = request.routeOptions.config;
  if (scope === undefined) return;
  const secret = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const key = secret && findKey.get({ hash: createHash('sha256').update(secret).digest('hex') });
  if (!key) return reply.code(401).send({ error: { code: 'UNAUTHORIZED' } });
  if (!key.scopes.split(' ').includes(scope)) return reply.code(403).send({ error: { code: 'FORBIDDEN' } });
  request.workspaceId = key.workspaceId;
});

server.get(
  '/api/v1/agents/:id',
  {
    config: { scope: 'agents:read' },
    schema: { params: Type.Object({ id: Type.String() }), response: { 200: agent, '4xx': errorBody } },
  },
  async (request, reply) => {
    const row = findAgent.get({ workspaceId: request.workspaceId, id: request.params.id });
    if (row === undefined) return reply.code(404).send({ error: { code: 'NOT_FOUND' } });
    return toAgent(row);
  },
);

server.get(
  '/api/v1/agents',
  { config: { scope: 'agents:read' }, schema: { querystring: listQuery, response: { 200: agentPage } } },
  async ({ workspaceId, query }) => {
    const before = query.cursor === undefined ? '~' : Buffer.from(query.cursor, 'base64url').toString();
    const rows = findPage.all({ workspaceId, before, limit: query.limit + 1 });
    const hasMore = rows.length > query.limit;
    if (hasMore) rows.pop();
    const nextCursor = hasMore ? Buffer.from(rows.at(-1)?.id ?? '').toString('base64url') : null;
    return { items: rows.map(toAgent), pagination: { nextCursor } };
  },
);

server.post(
  '/api/v1/agents',
  { config: { scope: 'agents:write' }, schema: { body: createAgent, response: { 201: agent } } },
  async ({ workspaceId, body }, reply) => {
    const created = buildAgent(body, workspaceId);
    insertAgent.run({ ...absentFields, ...created });
    return reply.code(201).send(created);
  },
);

function buildAgent(body: CreateAgent, workspaceId: string): Agent {
  const { responseEngineType, prompt, llmModel, responseEngine, ...rest } = body;
  const now = new Date().toISOString();
  return {
    ...rest,
    id: newAgentId(),
    workspaceId,
    version: 1,
    isPublished: false,
    responseEngine: {
      type: responseEngineType ?? responseEngine?.type ?? 'conversation_flow',
      prompt: prompt ?? responseEngine?.prompt,
      model: llmModel ?? responseEngine?.model ?? 'gpt-5.4-mini',
      llmWebsocketUrl: responseEngine?.llmWebsocketUrl,
    } as Agent['responseEngine'],
    createdAt: now,
    updatedAt: now,
  };
}

/** Columns of optional fields. */
const absentFields = {
  adaptiveSpeechRate: null,
  pronunciationDictionary: null,
  startSkillId: null,
  agentGlobalPrompt: null,
  agentVariables: null,
  agentSettings: null,
};

/** Absent fields are null in their column and left out of the response. */
function toAgent(row: typeof agents.$inferSelect): Agent {
  return {
    ...row,
    adaptiveSpeechRate: row.adaptiveSpeechRate ?? undefined,
    pronunciationDictionary: row.pronunciationDictionary ?? undefined,
    startSkillId: row.startSkillId ?? undefined,
    agentGlobalPrompt: row.agentGlobalPrompt ?? undefined,
    agentVariables: row.agentVariables ?? undefined,
    agentSettings: row.agentSettings ?? undefined,
  } as Agent;
}

await server.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 8091) });
