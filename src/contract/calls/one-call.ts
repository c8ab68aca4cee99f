import { z } from 'zod';

const id = z.string().meta({ description: 'The id of the call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] });

/** What the operations on one call have in common. */
export const none = z.object({});
export const oneCall = { params: z.object({ id }), query: none, body: null } as const;

/** In what is returned about a call. */
export const callId = z
  .string()
  .max(64)
  .meta({ description: 'The call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] });
