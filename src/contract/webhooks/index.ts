import { defineContract } from '../area.ts';
import { getDelivery, listDeliveries, replayWebhook, resendDelivery } from './delivery-operations.ts';
import { getEvent, listEvents, listEventTypes } from './event-operations.ts';
import { webhookScopes } from './scopes.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookSecret,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhook-operations.ts';

export const webhooksContract = defineContract({
  tag: { name: 'Webhooks', description: 'Events, and the endpoints that they are sent to.' },
  idPrefixes: ['whk', 'evt', 'dlv', 'rpl'],
  scopes: webhookScopes,
  operations: [
    createWebhook,
    listWebhooks,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    getWebhookSecret,
    rotateWebhookSecret,
    testWebhook,
    listDeliveries,
    getDelivery,
    resendDelivery,
    replayWebhook,
    listEvents,
    getEvent,
    listEventTypes,
  ],
});
