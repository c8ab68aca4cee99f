import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Webhook } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { MoreItem, MoreMenu } from '../../parts/more-menu.tsx';
import { useNotice } from '../../parts/notice.ts';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateSecret, ShowSecret } from './secret-dialogs.tsx';
import { TestDialog } from './test-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { webhookTexts } from './webhook-texts.ts';

type Dialog = 'test' | 'replay' | 'secret' | 'rotate' | 'edit' | 'delete';

/** What can be done with a webhook. */
export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhookTexts);
  const { webhooks } = useClient();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<Dialog | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  return (
    <>
      {webhook.url !== null && (
        <GuardedButton scope="webhooks:write" variant="default" onClick={() => setOpen('test')}>
          {texts.sendTest}
        </GuardedButton>
      )}
      {webhook.status === 'active' && (
        <GuardedButton scope="webhooks:write" variant="default" onClick={() => setOpen('replay')}>
          {texts.replay}
        </GuardedButton>
      )}
      <WebhookMenu webhook={webhook} onOpen={setOpen} />
      {open === 'test' && <TestDialog webhook={webhook} onClose={close} />}
      {open === 'replay' && <ReplayDialog webhook={webhook} onClose={close} />}
      {open === 'secret' && <ShowSecret webhook={webhook} onClose={close} />}
      {open === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {open === 'edit' && <WebhookForm webhook={webhook} onClose={close} onSaved={close} />}
      {open === 'delete' && (
        <DeleteDialog
          title={texts.deleteTitle}
          confirm={texts.delete}
          text={texts.deleteText}
          inUse={texts.deleteInUse}
          done={texts.deleteDone}
          queryKey={['webhooks', 'list']}
          onDelete={() => webhooks.delete(webhook.id)}
          onDone={() => navigate('/webhooks', { replace: true })}
          onClose={close}
        />
      )}
    </>
  );
}

interface WebhookMenuProps {
  readonly webhook: Webhook;
  readonly onOpen: (dialog: Dialog) => void;
}

function WebhookMenu({ webhook, onOpen }: WebhookMenuProps) {
  const texts = useTexts(webhookTexts);
  const { reason } = useScope('webhooks:write');
  const changeStatus = useStatusChange(webhook);
  const isActive = webhook.status === 'active';
  return (
    <MoreMenu label={texts.more}>
      <MoreItem reason={reason} onClick={() => onOpen('edit')}>
        {texts.edit}
      </MoreItem>
      <MoreItem reason={reason} onClick={() => changeStatus(isActive ? 'paused' : 'active')}>
        {isActive ? texts.pause : texts.activate}
      </MoreItem>
      <MoreItem reason={reason} onClick={() => onOpen('secret')}>
        {texts.showSecret}
      </MoreItem>
      <MoreItem reason={reason} onClick={() => onOpen('rotate')}>
        {texts.rotate}
      </MoreItem>
      <MoreItem reason={reason} isDangerous onClick={() => onOpen('delete')}>
        {texts.delete}
      </MoreItem>
    </MoreMenu>
  );
}

function useStatusChange(webhook: Webhook): (status: Webhook['status']) => void {
  const { texts: shared } = useLanguage();
  const texts = useTexts(webhookTexts);
  const notice = useNotice();
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  const { mutate } = useSingleMutation({
    mutationFn: async (status: Webhook['status']) => await webhooks.update(webhook.id, { status }),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      notice(texts.statusDone);
    },
    onError: (error) => notice(describeError(error, shared).title, 'bad'),
  });
  return mutate;
}
