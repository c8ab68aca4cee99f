import { Body, Controller, Get, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { AgentsService } from './agents-service.ts';
import { ApiKeyGuard, type AuthenticatedRequest, RequireScope } from './api-key-guard.ts';
import { CreateAgentDto, ListQueryDto } from './create-agent-dto.ts';

@Controller('api/v1/agents')
@UseGuards(ApiKeyGuard)
export class AgentsController {
  constructor(private readonly agents: AgentsService) {}

  @Get(':id')
  @RequireScope('agents:read')
  get(@Req() request: AuthenticatedRequest, @Param('id') id: string) {
    return this.agents.get(request.workspaceId, id);
  }

  @Get()
  @RequireScope('agents:read')
  list(@Req() request: AuthenticatedRequest, @Query() query: ListQueryDto) {
    return this.agents.list(request.workspaceId, query);
  }

  @Post()
  @RequireScope('agents:write')
  create(@Req() request: AuthenticatedRequest, @Body() body: CreateAgentDto) {
    return this.agents.create(request.workspaceId, body);
  }
}
