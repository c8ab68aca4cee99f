import type { knowledgeContract } from '../../contract/knowledge/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';

export type KnowledgeHandlers = Handlers<(typeof knowledgeContract.operations)[number]>;
