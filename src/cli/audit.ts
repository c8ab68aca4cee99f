import { type ConnectionOptions, connect } from './connection/connection.ts';
import type { CommandContext } from './context.ts';
import { type PageOptions, showPages } from './resources/pages.ts';
import { describeTime } from './terminal/time.ts';

export interface ListAuditOptions extends PageOptions, ConnectionOptions {
  readonly resource?: string;
}

export async function listAudit(options: ListAuditOptions, context: CommandContext): Promise<void> {
  const { client } = await connect(options, context.environment);
  const filter = options.resource ? { resourceId: options.resource } : {};
  await showPages((limit) => client.auditLog.list({ limit, ...filter }), options, context, {
    head: ['AT', 'ACTION', 'RESOURCE', 'KEY', 'REQUEST'],
    row: ({ at, routeId, resourceId, keyId, requestId }) => [
      describeTime(at, context.stdout),
      routeId,
      resourceId,
      keyId ?? 'command line',
      requestId ?? '',
    ],
    table: { dispensable: ['REQUEST', 'KEY'], elastic: 'RESOURCE' },
    none: 'No changes yet.\n',
  });
}
