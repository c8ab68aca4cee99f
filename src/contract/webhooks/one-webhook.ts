import { z } from 'zod';
import { webhookId } from './webhook.ts';

/** What the operations on one webhook have in common. */
export const none = z.object({});
export const oneWebhook = { params: z.object({ id: webhookId }), query: none, body: null } as const;
