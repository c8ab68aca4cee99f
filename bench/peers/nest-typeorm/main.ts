/**
 * NestJS on Express with its defaults, and TypeORM on SQLite; with request ids, a rate limit and a log line per
 * request, using the usual modules.
 */
import 'reflect-metadata';
import { Module, ValidationPipe } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Database } from 'better-sqlite3';
import { LoggerModule } from 'nestjs-pino';
import { destination } from 'pino';
import { newRequestId } from '../shared/new-id.ts';
import { AgentEntity } from './agent-entity.ts';
import { AgentsController } from './agents-controller.ts';
import { AgentsService } from './agents-service.ts';
import { ApiKeyEntity } from './api-key-entity.ts';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: process.env.DATABASE_FILE ?? 'agents.db',
      entities: [AgentEntity, ApiKeyEntity],
      synchronize: true,
      enableWAL: true,
      prepareDatabase: (database: Database) => {
        database.pragma('synchronous = FULL');
        database.pragma('cache_size = -65536');
      },
    }),
    TypeOrmModule.forFeature([AgentEntity, ApiKeyEntity]),
    ThrottlerModule.forRoot({
      throttlers: [{ ttl: 60_000, limit: 600_000 }],
      getTracker: ({ headers, ip }) => headers.authorization ?? ip,
    }),
    LoggerModule.forRoot({
      pinoHttp: {
        level: 'info',
        // Without headers, and written in batches.
        stream: destination({ fd: 1, sync: false, minLength: 8192 }),
        quietReqLogger: true,
        serializers: {
          req: ({ id, method }) => ({ id, method }),
          res: ({ statusCode }) => ({ statusCode }),
        },
        genReqId: (_request, response) => {
          const id = newRequestId();
          response.setHeader('x-request-id', id);
          return id;
        },
      },
    }),
  ],
  controllers: [AgentsController],
  providers: [AgentsService, { provide: APP_GUARD, useClass: ThrottlerGuard }],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
app.getHttpServer().keepAliveTimeout = 72_000;
await app.listen(Number(process.env.PORT ?? 8092), '127.0.0.1');
