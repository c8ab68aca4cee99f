import { Button, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Provider } from '../../../../sdk/src/index.ts';
import { CheckIcon, KeyIcon, TrashIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { ActionsCell } from '../../parts/data-table.tsx';
import { useScope } from '../../session/use-session.ts';
import { providerNames, providersTexts } from './texts.ts';

interface RowActionsProps {
  readonly provider: Provider;
  readonly isVerifying: boolean;
  readonly onEdit: () => void;
  readonly onVerify: () => void;
  readonly onRemove: () => void;
}

/** What can be done with the account at a provider. */
export function RowActions({ provider, isVerifying, onEdit, onVerify, onRemove }: RowActionsProps) {
  const texts = useTexts(providersTexts);
  const names = useTexts(providerNames);
  const { configured, credentials } = provider;
  const name = names[provider.name] ?? provider.name;
  return (
    <ActionsCell>
      <Action label={credentials === null ? texts.setKey : texts.change} name={name} onClick={onEdit}>
        <KeyIcon size={16} />
      </Action>
      {configured && (
        <Action label={texts.verify} name={name} onClick={onVerify} isBusy={isVerifying}>
          <CheckIcon size={16} />
        </Action>
      )}
      {credentials !== null && (
        <Action label={texts.remove} name={name} onClick={onRemove} isDangerous>
          <TrashIcon size={16} />
        </Action>
      )}
    </ActionsCell>
  );
}

interface ActionProps {
  readonly label: string;
  readonly name: string;
  readonly onClick: () => void;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

function Action({ label, name, onClick, isDangerous = false, isBusy = false, children }: ActionProps) {
  const { isAllowed, reason } = useScope('providers:write');
  const isActive = isAllowed && !isBusy;
  return (
    <Tooltip label={reason} disabled={isAllowed}>
      <Button
        variant="subtle"
        color={isDangerous ? 'var(--app-bad)' : 'gray'}
        size="compact-sm"
        leftSection={children}
        aria-label={`${label}: ${name}${isAllowed ? '' : ` (${reason})`}`}
        aria-disabled={!isActive || undefined}
        aria-busy={isBusy || undefined}
        data-disabled={!isActive}
        onClick={isActive ? onClick : undefined}
      >
        {label}
      </Button>
    </Tooltip>
  );
}
