import { WebhookIcon } from '../../icons.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { useAgentWebhook } from '../webhooks/use-webhooks.ts';
import { WebhookActions } from '../webhooks/webhook-actions.tsx';
import { HealthDot, WebhookHealth } from '../webhooks/webhook-health.tsx';
import classes from './agent-page.module.css';
import { useAgentTexts } from './texts.ts';

/** The webhook that an agent has of its own, with what was sent to it. */
export function AgentWebhook({ agentId }: { readonly agentId: string }) {
  return (
    <ScopeGuard scope="webhooks:read">
      <Content agentId={agentId} />
    </ScopeGuard>
  );
}

function Content({ agentId }: { readonly agentId: string }) {
  const texts = useAgentTexts();
  const { data, error, refetch } = useAgentWebhook(agentId);
  if (data === undefined) return error === null ? <PageSkeleton /> : <ErrorState error={error} onRetry={refetch} />;
  if (data === null) {
    return (
      <Card isFlush>
        <EmptyState icon={<WebhookIcon />} title={texts.webhookNone}>
          {texts.webhookNoneNext}
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <div className={classes.webhook}>
        <div>
          <HealthDot webhook={data} />
          <p className={classes.webhookUrl}>{data.url ?? texts.webhookNoUrl}</p>
        </div>
        <div className={classes.webhookActions}>
          <WebhookActions webhook={data} />
        </div>
      </div>
      <WebhookHealth webhook={data} />
      <Deliveries webhookId={data.id} />
    </>
  );
}
