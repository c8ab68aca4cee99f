import { createAgent, getAgent, listAgents } from './agents.ts';
import type { Operation } from './operation.ts';

/** Every operation of the public interface. What is not in this list is not served. */
export const operations = [listAgents, createAgent, getAgent] as const satisfies readonly Operation[];

export type OperationId = (typeof operations)[number]['id'];
export type OperationWithId<Id extends OperationId> = Extract<(typeof operations)[number], { id: Id }>;
