import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Webhook } from '../../../../sdk/src/index.ts';
import { LockIcon, MoreIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNotice } from '../../parts/notice.ts';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { DeleteWebhook } from './delete-webhook.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateSecret, ShowSecret } from './secret-dialogs.tsx';
import { TestDialog } from './test-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { webhookTexts } from './webhook-texts.ts';

type Dialog = 'test' | 'replay' | 'secret' | 'rotate' | 'edit' | 'delete';

/** What can be done with a webhook. */
export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhookTexts);
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
      <MoreMenu webhook={webhook} onOpen={setOpen} />
      {open === 'test' && <TestDialog webhook={webhook} onClose={close} />}
      {open === 'replay' && <ReplayDialog webhook={webhook} onClose={close} />}
      {open === 'secret' && <ShowSecret webhook={webhook} onClose={close} />}
      {open === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {open === 'edit' && <WebhookForm webhook={webhook} onClose={close} onSaved={close} />}
      {open === 'delete' && (
        <DeleteWebhook webhook={webhook} onClose={close} onDone={() => navigate('/webhooks', { replace: true })} />
      )}
    </>
  );
}

interface MoreMenuProps {
  readonly webhook: Webhook;
  readonly onOpen: (dialog: Dialog) => void;
}

function MoreMenu({ webhook, onOpen }: MoreMenuProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(webhookTexts);
  const { isAllowed, reason } = useScope('webhooks:write');
  const changeStatus = useStatusChange(webhook);
  const isActive = webhook.status === 'active';
  const items = [
    { label: texts.edit, run: () => onOpen('edit') },
    { label: isActive ? texts.pause : texts.activate, run: () => changeStatus(isActive ? 'paused' : 'active') },
    { label: texts.showSecret, run: () => onOpen('secret') },
    { label: texts.rotate, run: () => onOpen('rotate') },
    { label: texts.delete, run: () => onOpen('delete'), color: 'var(--app-bad)' },
  ];
  return (
    <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={texts.more}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label, run, color }) => (
          <Tooltip key={label} label={reason ?? shared.lacksScopeTitle} disabled={isAllowed} position="left">
            <Menu.Item
              {...(isAllowed ? {} : { leftSection: <LockIcon size={16} /> })}
              {...(color === undefined || !isAllowed ? {} : { color })}
              // Still focusable, so that keyboard users can find out why it is disabled.
              aria-disabled={!isAllowed || undefined}
              data-disabled={!isAllowed}
              closeMenuOnClick={isAllowed}
              onClick={() => isAllowed && run()}
            >
              {label}
              {!isAllowed && <span className="visually-hidden">: {reason}</span>}
            </Menu.Item>
          </Tooltip>
        ))}
      </Menu.Dropdown>
    </Menu>
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
