import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { AuditEntry } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { useKeyNames } from '../../parts/key-names.ts';
import { routeText } from '../../parts/route-texts.ts';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { useClient } from '../../session/use-session.ts';
import classes from './overview.module.css';
import { overviewTexts } from './texts.ts';

const count = 8;
/** Enough to find some changes among many calls. */
const searched = 100;

export function RecentChanges() {
  const { changes, allChanges } = useTexts(overviewTexts);
  const more = (
    <Anchor component={Link} href="/audit" size="sm">
      {allChanges}
    </Anchor>
  );
  return (
    <Card title={changes} actions={more}>
      <ScopeGuard scope="audit:read">
        <Changes />
      </ScopeGuard>
    </Card>
  );
}

function Changes() {
  const client = useClient();
  const { noChanges } = useTexts(overviewTexts);
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', 'recent'],
    // Calls have a list of their own.
    queryFn: async ({ signal }) => {
      const { items } = await client.auditLog.list({ limit: searched }, { signal });
      return items.filter(({ routeId }) => !routeId.startsWith('calls.')).slice(0, count);
    },
  });
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={refetch} />;
    return (
      <Stack gap="sm" aria-busy="true">
        {['70%', '62%', '75%', '58%'].map((width) => (
          <Skeleton key={width} height={18} width={width} />
        ))}
      </Stack>
    );
  }
  if (data.length === 0) return <p className={classes.quiet}>{noChanges}</p>;
  return (
    <ul className={classes.changes}>
      {data.map((entry) => (
        <Change key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

function Change({ entry }: { readonly entry: AuditEntry }) {
  const { language } = useLanguage();
  const { commandLine, by } = useTexts(overviewTexts);
  const names = useKeyNames();
  const who = entry.keyId === null ? commandLine : (names.get(entry.keyId) ?? entry.keyId);
  return (
    <li>
      <span className={classes.what}>{routeText(entry.routeId, language)}</span>
      <Resource entry={entry} keyName={names.get(entry.resourceId)} />
      <span className={classes.quiet}>
        {by(who)} · <Ago at={entry.at} />
      </span>
    </li>
  );
}

/**
 * Shown by its name at the time, otherwise by id. An agent links to its page, unless this is about its end; everything
 * else links to the audit log. Nothing is fetched to find out: it would count as a rejected request.
 */
function Resource({ entry, keyName }: { readonly entry: AuditEntry; readonly keyName: string | undefined }) {
  const { resourceId: id, resourceName, routeId } = entry;
  const isAgent = id.startsWith('agt_') && routeId !== 'agents.delete';
  const name = resourceName ?? keyName;
  return (
    <Link
      href={isAgent ? `/agents/${id}` : `/audit?resourceId=${encodeURIComponent(id)}`}
      className={classes.resource as string}
      title={id}
      data-is-named={name !== undefined || undefined}
    >
      {name ?? id}
    </Link>
  );
}
