import { Badge, Button, Code, Table, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKey } from '../../../../sdk/src/index.ts';
import { RotateIcon, TrashIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { ActionsCell, DataTable } from '../../parts/data-table.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import { usePageName } from '../../parts/page-name.ts';
import { allScopes, useScope, useSession } from '../../session/use-session.ts';
import { hasEnded, type KeyState, stateOf } from './key-state.ts';
import classes from './keys.module.css';
import { keysTexts } from './texts.ts';

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

export function KeyTable({ keys, onRotate, onRevoke }: KeyTableProps) {
  const texts = useTexts(keysTexts);
  return (
    <DataTable
      label={usePageName()}
      columns={[
        texts.name,
        texts.scopes,
        texts.lastUsed,
        texts.created,
        texts.state,
        { title: texts.actions, isTitleHidden: true },
      ]}
      cardsBelow="narrow"
      className={classes.table}
    >
      {keys.map((key) => (
        <Table.Tr key={key.id} data-has-ended={hasEnded(key) || undefined}>
          <Table.Td>
            <Name apiKey={key} />
          </Table.Td>
          <Table.Td data-title={texts.scopes}>
            <span className={classes.scopes}>
              {allScopes.every((scope) => key.scopes.includes(scope))
                ? texts.allScopes
                : key.scopes.map((scope) => <Code key={scope}>{scope}</Code>)}
            </span>
          </Table.Td>
          <Table.Td data-title={texts.lastUsed}>
            {key.lastUsedAt === null ? (
              <Text size="sm" c="dimmed">
                {texts.notYet}
              </Text>
            ) : (
              <Ago at={key.lastUsedAt} />
            )}
          </Table.Td>
          <Table.Td data-title={texts.created}>
            <Ago at={key.createdAt} />
          </Table.Td>
          <Table.Td data-title={texts.state}>
            <State apiKey={key} />
          </Table.Td>
          <Actions apiKey={key} onRotate={onRotate} onRevoke={onRevoke} />
        </Table.Tr>
      ))}
    </DataTable>
  );
}

function Name({ apiKey }: { readonly apiKey: ApiKey }) {
  const { yours, unnamed } = useTexts(keysTexts);
  const { whoami } = useSession();
  return (
    <>
      <span className={classes.name}>
        {apiKey.name || unnamed}
        {apiKey.id === whoami.keyId && (
          <Badge size="sm" variant="light" tt="none">
            {yours}
          </Badge>
        )}
      </span>
      <Text size="xs" c="dimmed" ff="monospace">
        {apiKey.hint}
      </Text>
    </>
  );
}

const tones: Readonly<Record<KeyState, Tone>> = { active: 'good', ending: 'warn', expired: 'quiet', revoked: 'quiet' };

function State({ apiKey }: { readonly apiKey: ApiKey }) {
  const { format } = useLanguage();
  const texts = useTexts(keysTexts);
  const state = stateOf(apiKey);
  const { expiresAt } = apiKey;
  return (
    <span title={expiresAt === null ? undefined : format.dateTime(expiresAt)}>
      <Dot tone={tones[state]}>
        {state === 'ending' && expiresAt !== null ? texts.endsSoon(format.until(expiresAt)) : texts[state as 'active']}
      </Dot>
    </span>
  );
}

interface ActionsProps extends Omit<KeyTableProps, 'keys'> {
  readonly apiKey: ApiKey;
}

function Actions({ apiKey, onRotate, onRevoke }: ActionsProps) {
  const texts = useTexts(keysTexts);
  const { reason } = useScope('keys:write');
  const barrier = reason ?? (hasEnded(apiKey) ? texts.ended : null);
  const name = apiKey.name || texts.unnamed;
  return (
    <ActionsCell>
      <Action
        label={texts.rotate}
        name={name}
        barrier={barrier}
        icon={<RotateIcon size={14} />}
        onClick={() => onRotate(apiKey)}
      />
      <Action
        label={texts.revoke}
        name={name}
        barrier={barrier}
        icon={<TrashIcon size={14} />}
        onClick={() => onRevoke(apiKey)}
        isDangerous
      />
    </ActionsCell>
  );
}

interface ActionProps {
  readonly label: string;
  readonly name: string;
  /** Why the action is disabled; null if it is enabled. */
  readonly barrier: string | null;
  readonly icon: ReactNode;
  readonly onClick: () => void;
  readonly isDangerous?: boolean;
}

function Action({ label, name, barrier, icon, onClick, isDangerous = false }: ActionProps) {
  const isBarred = barrier !== null;
  return (
    <Tooltip label={barrier} disabled={!isBarred}>
      <Button
        variant="subtle"
        color={isDangerous ? 'var(--app-bad)' : 'gray'}
        size="compact-sm"
        leftSection={icon}
        aria-label={`${label}: ${name}${isBarred ? ` (${barrier})` : ''}`}
        aria-disabled={isBarred || undefined}
        data-disabled={isBarred}
        onClick={isBarred ? undefined : onClick}
      >
        {label}
      </Button>
    </Tooltip>
  );
}
