/** The types of events, in a file without schemas: the dashboard offers them. */
export const eventTypes = [
  'call_started',
  'call_ended',
  'call_analyzed',
  'call_deleted',
  'agent_published',
  'carrier_status_changed',
  'document_ready',
  'document_failed',
  'alert_firing',
  'alert_resolved',
  'workflow_run_failed',
  'workflow_disabled',
  'webhook_disabled',
  'webhook_test',
] as const;

export type EventType = (typeof eventTypes)[number];
