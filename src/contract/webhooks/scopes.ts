export const webhookScopes = {
  'webhooks:read':
    'List and read webhooks, deliveries and events. Events contain what was said in calls, as far as it is stored.',
  'webhooks:write':
    'Create, update and delete webhooks, read and rotate their secrets, resend events. Sends call content to other systems.',
} as const;
