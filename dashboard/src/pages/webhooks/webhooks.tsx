import { useState } from 'react';
import { PlusIcon, WebhookIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNewParameter } from '../../parts/new-parameter.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { formTexts } from './form-texts.ts';
import { NewSecret } from './secret-dialogs.tsx';
import { webhooksTexts } from './texts.ts';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookTable } from './webhook-table.tsx';

/** The open dialog; only one at a time. */
type Open = { readonly dialog: 'create' } | { readonly dialog: 'secret'; readonly secret: string };

export function Webhooks() {
  const { description } = useTexts(webhooksTexts);
  const { create } = useTexts(formTexts);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  useNewParameter('webhooks:write', () => setOpen({ dialog: 'create' }));
  useFocusReturn(open !== null);
  const actions = (
    <GuardedButton
      scope="webhooks:write"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setOpen({ dialog: 'create' })}
    >
      {create}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={description} actions={actions} />
      <ScopeGuard scope="webhooks:read">
        <List />
      </ScopeGuard>
      {open?.dialog === 'create' && (
        <WebhookForm
          webhook={null}
          onClose={close}
          onSaved={(secret) => setOpen(secret === null ? null : { dialog: 'secret', secret })}
        />
      )}
      {open?.dialog === 'secret' && <NewSecret secret={open.secret} onClose={close} />}
    </>
  );
}

function List() {
  const texts = useTexts(webhooksTexts);
  const empty = (
    <EmptyState icon={<WebhookIcon />} title={texts.emptyTitle}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <ListCard list={useWebhooks()} empty={empty}>
      {(webhooks) => <WebhookTable webhooks={webhooks} />}
    </ListCard>
  );
}
