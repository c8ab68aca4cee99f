/** NestJS on Express, as it comes, and TypeORM on SQLite. */
import 'reflect-metadata';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Database } from 'better-sqlite3';
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
  ],
  controllers: [AgentsController],
  providers: [AgentsService],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
app.getHttpServer().keepAliveTimeout = 72_000;
await app.listen(Number(process.env.PORT ?? 8092), '127.0.0.1');
