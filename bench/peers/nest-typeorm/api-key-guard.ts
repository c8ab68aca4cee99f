import { createHash } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  SetMetadata,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import { Repository } from 'typeorm';
import { ApiKeyEntity } from './api-key-entity.ts';

const scopeKey = 'scope';
export const RequireScope = (scope: string) => SetMetadata(scopeKey, scope);

export interface AuthenticatedRequest extends Request {
  workspaceId: string;
}

@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const secret = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const hash = secret && createHash('sha256').update(secret).digest('hex');
    const key = hash ? await this.keys.findOneBy({ hash }) : null;
    if (key === null) throw new UnauthorizedException();
    const scope = this.reflector.get<string>(scopeKey, context.getHandler());
    if (!key.scopes.split(' ').includes(scope)) throw new ForbiddenException();
    request.workspaceId = key.workspaceId;
    return true;
  }
}
