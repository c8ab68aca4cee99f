import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { newAgentId } from '../shared/new-id.ts';
import { AgentEntity } from './agent-entity.ts';
import type { CreateAgentDto, ListQueryDto } from './create-agent-dto.ts';

@Injectable()
export class AgentsService {
  constructor(@InjectRepository(AgentEntity) private readonly agents: Repository<AgentEntity>) {}

  async get(workspaceId: string, id: string) {
    const agent = await this.agents.findOneBy({ workspaceId, id });
    if (agent === null) throw new NotFoundException();
    return toResponse(agent);
  }

  async list(workspaceId: string, { limit, cursor }: ListQueryDto) {
    const before = cursor === undefined ? '~' : Buffer.from(cursor, 'base64url').toString();
    const agents = await this.agents.find({
      where: { workspaceId, id: LessThan(before) },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const hasMore = agents.length > limit;
    if (hasMore) agents.pop();
    const nextCursor = hasMore ? Buffer.from(agents.at(-1)?.id ?? '').toString('base64url') : null;
    return { items: agents.map(toResponse), pagination: { nextCursor } };
  }

  async create(workspaceId: string, body: CreateAgentDto) {
    const { responseEngineType, prompt, llmModel, responseEngine, ...rest } = body;
    const now = new Date().toISOString();
    const agent = this.agents.create({
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
      },
      createdAt: now,
      updatedAt: now,
    });
    // `save` would first look up the id, which is known to be new.
    await this.agents.insert(agent);
    return toResponse(agent);
  }
}

/** The fields in the order of the contract; absent ones are left out instead of being null. */
function toResponse(agent: AgentEntity) {
  const { id, workspaceId, ...rest } = agent;
  return {
    id,
    workspaceId,
    ...rest,
    adaptiveSpeechRate: agent.adaptiveSpeechRate ?? undefined,
    pronunciationDictionary: agent.pronunciationDictionary ?? undefined,
    startSkillId: agent.startSkillId ?? undefined,
    agentGlobalPrompt: agent.agentGlobalPrompt ?? undefined,
    agentVariables: agent.agentVariables ?? undefined,
    agentSettings: agent.agentSettings ?? undefined,
  };
}
