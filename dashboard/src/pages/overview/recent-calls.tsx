import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { CallStatusDot } from '../../calls/call-status.tsx';
import { useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { Ago } from '../../parts/ago.tsx';
import { Card } from '../../parts/card.tsx';
import classes from './overview.module.css';
import { overviewTexts } from './texts.ts';

export function RecentCalls({ calls }: { readonly calls: readonly Call[] }) {
  const texts = useTexts(overviewTexts);
  const more = (
    <Anchor component={Link} href="/calls" size="sm">
      {texts.allCalls}
    </Anchor>
  );
  return (
    <div className={classes.above}>
      <Card title={texts.recentCalls} actions={more}>
        {calls.length === 0 ? (
          <p className={classes.quiet}>{texts.noRecentCalls}</p>
        ) : (
          <ul className={classes.changes}>
            {calls.map((call) => (
              <RecentCall key={call.id} call={call} />
            ))}
          </ul>
        )}
      </Card>
    </div>
  );
}

function RecentCall({ call }: { readonly call: Call }) {
  const name = useAgentName(call.agentId);
  return (
    <li>
      <span>
        <CallStatusDot status={call.status} type={call.type} />
      </span>
      <Link
        href={`/calls/${call.id}`}
        className={classes.resource as string}
        title={call.id}
        data-is-named={name !== null || undefined}
      >
        {name ?? call.id}
      </Link>
      <span className={classes.quiet}>
        <Ago at={call.createdAt} />
      </span>
    </li>
  );
}
