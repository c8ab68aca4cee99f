import { Button, Code, Table, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Secret } from '../../../../sdk/src/index.ts';
import { RotateIcon, TrashIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { ActionsCell, DataTable } from '../../parts/data-table.tsx';
import { usePageName } from '../../parts/page-name.ts';
import { useScope } from '../../session/use-session.ts';
import classes from './secrets.module.css';
import { secretsTexts } from './texts.ts';

interface SecretTableProps {
  readonly secrets: readonly Secret[];
  readonly onReplace: (secret: Secret) => void;
  readonly onDelete: (secret: Secret) => void;
}

export function SecretTable({ secrets, onReplace, onDelete }: SecretTableProps) {
  const texts = useTexts(secretsTexts);
  return (
    <DataTable
      label={usePageName()}
      columns={[texts.name, texts.hosts, texts.updated, texts.created, { title: texts.actions, isTitleHidden: true }]}
      cardsBelow="narrow"
      className={classes.table}
    >
      {secrets.map((secret) => (
        <Table.Tr key={secret.name}>
          <Table.Td className={classes.name as string}>{secret.name}</Table.Td>
          <Table.Td data-title={texts.hosts}>
            <span className={classes.hosts}>
              {secret.hosts.map((host) => (
                <Code key={host}>{host}</Code>
              ))}
            </span>
          </Table.Td>
          <Table.Td data-title={texts.updated}>
            <Ago at={secret.updatedAt} />
          </Table.Td>
          <Table.Td data-title={texts.created}>
            <Ago at={secret.createdAt} />
          </Table.Td>
          <ActionsCell>
            <Action label={texts.replace} name={secret.name} onClick={() => onReplace(secret)}>
              <RotateIcon size={16} />
            </Action>
            <Action label={texts.delete} name={secret.name} onClick={() => onDelete(secret)} isDangerous>
              <TrashIcon size={16} />
            </Action>
          </ActionsCell>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

interface ActionProps {
  readonly label: string;
  readonly name: string;
  readonly onClick: () => void;
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

function Action({ label, name, onClick, isDangerous = false, children }: ActionProps) {
  const { isAllowed, reason } = useScope('secrets:write');
  return (
    <Tooltip label={reason} disabled={isAllowed}>
      <Button
        variant="subtle"
        color={isDangerous ? 'var(--app-bad)' : 'gray'}
        size="compact-sm"
        leftSection={children}
        aria-label={`${label}: ${name}${isAllowed ? '' : ` (${reason})`}`}
        aria-disabled={!isAllowed || undefined}
        data-disabled={!isAllowed}
        onClick={isAllowed ? onClick : undefined}
      >
        {label}
      </Button>
    </Tooltip>
  );
}
