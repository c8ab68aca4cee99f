/** What a backup contains, by table: one, several, and the field in JSON. */
export const tableNames: Readonly<Record<string, readonly [one: string, several: string, field: string]>> = {
  workspaces: ['workspace', 'workspaces', 'workspaces'],
  api_keys: ['key', 'keys', 'keys'],
  agents: ['agent', 'agents', 'agents'],
  agent_versions: ['older version', 'older versions', 'olderVersions'],
  secrets: ['secret', 'secrets', 'secrets'],
  carriers: ['carrier', 'carriers', 'carriers'],
  phone_numbers: ['phone number', 'phone numbers', 'phoneNumbers'],
  do_not_call: ['do-not-call entry', 'do-not-call entries', 'doNotCall'],
  knowledge_bases: ['knowledge base', 'knowledge bases', 'knowledgeBases'],
  documents: ['document', 'documents', 'documents'],
  calls: ['call', 'calls', 'calls'],
  call_turns: ['turn', 'turns', 'turns'],
  call_analyses: ['analysis', 'analyses', 'analyses'],
  analytics_views: ['view', 'views', 'views'],
  analytics_alerts: ['alert', 'alerts', 'alerts'],
  prices: ['price list', 'price lists', 'priceLists'],
  webhooks: ['webhook', 'webhooks', 'webhooks'],
  events: ['event', 'events', 'events'],
  deliveries: ['delivery', 'deliveries', 'deliveries'],
  jobs: ['job', 'jobs', 'jobs'],
  audit_log: ['audit entry', 'audit entries', 'auditEntries'],
  idempotency_keys: ['saved response', 'saved responses', 'keptAnswers'],
};

/** Parts of what is counted above, and the settings of the service. */
export const unnamedTables: readonly string[] = [
  'settings',
  'call_agents',
  'call_events',
  'delivery_attempts',
  'event_positions',
  'event_subjects',
  'event_transcripts',
  'phone_dials',
  'document_texts',
  'chunks',
];
