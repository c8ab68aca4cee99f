import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { isOpen } from '../../calls/call.ts';
import { CallStatusDot } from '../../calls/call-status.tsx';
import { endReasonTexts } from '../../calls/call-texts.ts';
import { CallTypeText } from '../../calls/call-type.tsx';
import { CallVersion } from '../../calls/call-version.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Id } from '../../parts/facts.tsx';
import link from '../../parts/link.module.css';
import header from '../../parts/page-header.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import classes from './call.module.css';
import { CallActions } from './call-actions.tsx';
import { callPageTexts } from './texts.ts';
import { useNow } from './use-now.ts';

export function CallHeader({ call }: { readonly call: Call }) {
  const { format } = useLanguage();
  const texts = useTexts(callPageTexts);
  const reasons = useTexts(endReasonTexts);
  const name = useAgentName(call.agentId);
  const median = call.latency?.e2eMs?.p50 ?? null;
  const at = call.startedAt ?? call.createdAt;
  return (
    <>
      <PageHeader
        title={call.agentId === null ? texts.noAgent : texts.title(name ?? call.agentId)}
        above={<BackLink href="/calls">{texts.toCalls}</BackLink>}
        description={
          <span className={header.facts}>
            <CallStatusDot status={call.status} type={call.type} />
            <span>
              <CallTypeText call={call} />
            </span>
            <Id>{call.id}</Id>
          </span>
        }
        actions={<CallActions call={call} />}
      />
      <dl className={classes.facts}>
        <Fact label={texts.agent}>
          {call.agentId === null ? (
            '—'
          ) : (
            <>
              <Link href={`/agents/${call.agentId}`} className={link.link as string}>
                {name ?? call.agentId}
              </Link>
              <CallVersion call={call} />
            </>
          )}
        </Fact>
        <Fact label={call.startedAt === null ? texts.created : texts.started}>
          <time dateTime={at}>{format.dateTime(at)}</time>
        </Fact>
        <Fact label={texts.duration}>
          <Duration call={call} />
        </Fact>
        {call.endReason !== null && <Fact label={texts.endReason}>{reasons[call.endReason]}</Fact>}
        {call.endDetail !== null && <Fact label={texts.detail}>{call.endDetail}</Fact>}
        {median !== null && (
          <Fact label={texts.replyTime}>
            {call.type === 'chat' ? (
              format.milliseconds(median)
            ) : (
              <Tooltip
                label={texts.replyTimeHint}
                multiline
                w="18rem"
                events={{ hover: true, focus: true, touch: true }}
              >
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation is also for the keyboard. */}
                <span tabIndex={0}>{format.milliseconds(median)}</span>
              </Tooltip>
            )}
          </Fact>
        )}
      </dl>
    </>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Duration({ call }: { readonly call: Call }) {
  const { format } = useLanguage();
  const isRunning = isOpen(call) && call.startedAt !== null;
  const now = useNow(isRunning);
  if (call.durationMs !== null) return format.clock(call.durationMs);
  if (!isRunning || call.startedAt === null) return '—';
  return format.clock(Math.max(0, now - Date.parse(call.startedAt)));
}
