import type { workflowsContract } from '../../contract/workflows/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';

export type WorkflowHandlers = Handlers<(typeof workflowsContract.operations)[number]>;
