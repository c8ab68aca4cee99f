import type { webhooksContract } from '../../contract/webhooks/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';

export type WebhookHandlers = Handlers<(typeof webhooksContract.operations)[number]>;
