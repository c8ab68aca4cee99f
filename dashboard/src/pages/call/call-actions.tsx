import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { Call } from '../../../../sdk/src/index.ts';
import { isOpen } from '../../calls/call.ts';
import { EyeOffIcon, LockIcon, MoreIcon, TrashIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useScope } from '../../session/use-session.ts';
import { DeleteCall } from './delete-call.tsx';
import { EndCall } from './end-call.tsx';
import { RedactCall } from './redact-call.tsx';
import { callPageTexts } from './texts.ts';

/** Ending an open call; removing its content or all of it once it is over. */
export function CallActions({ call }: { readonly call: Call }) {
  const texts = useTexts(callPageTexts);
  const { reason: lacking } = useScope('calls:write');
  const [dialog, setDialog] = useState<'end' | 'redact' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const reason = lacking ?? (isOpen(call) ? texts.stillOpen : null);
  const isBarred = reason !== null;
  const items = [
    { name: 'redact', label: texts.redact, icon: <EyeOffIcon size={16} />, color: undefined },
    { name: 'delete', label: texts.delete, icon: <TrashIcon size={16} />, color: 'var(--app-bad)' },
  ] as const;
  return (
    <>
      {isOpen(call) && (
        <GuardedButton scope="calls:write" variant="default" onClick={() => setDialog('end')}>
          {texts.end}
        </GuardedButton>
      )}
      <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={texts.more}>
            <MoreIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(({ name, label, icon, color }) => (
            <Tooltip key={name} label={reason} disabled={!isBarred} position="left">
              <Menu.Item
                leftSection={isBarred ? <LockIcon size={16} /> : icon}
                {...(color === undefined || isBarred ? {} : { color })}
                // Still focusable, so that keyboard users can find out why it is disabled.
                aria-disabled={isBarred || undefined}
                data-disabled={isBarred}
                closeMenuOnClick={!isBarred}
                onClick={() => !isBarred && setDialog(name)}
              >
                {label}
                {isBarred && <span className="visually-hidden">: {reason}</span>}
              </Menu.Item>
            </Tooltip>
          ))}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'end' && <EndCall call={call} onClose={close} />}
      {dialog === 'redact' && <RedactCall call={call} onClose={close} />}
      {dialog === 'delete' && <DeleteCall call={call} onClose={close} />}
    </>
  );
}
