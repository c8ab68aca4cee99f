import { ActionIcon, Code, Table, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Secret } from '../../../../sdk/src/index.ts';
import { RotateIcon, TrashIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { useScope } from '../../session/use-session.ts';
import classes from './secrets.module.css';
import { secretsTexts } from './texts.ts';

interface SecretTableProps {
  readonly secrets: readonly Secret[];
  readonly onReplace: (secret: Secret) => void;
  readonly onDelete: (secret: Secret) => void;
}

export function SecretTable({ secrets, onReplace, onDelete }: SecretTableProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(secretsTexts);
  return (
    <Table className={classes.table as string} verticalSpacing="sm" horizontalSpacing="md" aria-label={shared.secrets}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.name}</Table.Th>
          <Table.Th>{texts.hosts}</Table.Th>
          <Table.Th>{texts.updated}</Table.Th>
          <Table.Th>{texts.created}</Table.Th>
          <Table.Th>
            <span className="visually-hidden">{texts.actions}</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
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
            <Table.Td className={classes.actions as string}>
              <span className={classes.buttons}>
                <Action label={texts.replace} name={secret.name} onClick={() => onReplace(secret)}>
                  <RotateIcon size={16} />
                </Action>
                <Action label={texts.delete} name={secret.name} onClick={() => onDelete(secret)} isDangerous>
                  <TrashIcon size={16} />
                </Action>
              </span>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
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
    <Tooltip label={reason ?? label}>
      <ActionIcon
        variant="subtle"
        color={isDangerous ? 'red' : 'gray'}
        size="lg"
        aria-label={`${label}: ${name}${isAllowed ? '' : ` (${reason})`}`}
        aria-disabled={!isAllowed || undefined}
        data-disabled={!isAllowed}
        onClick={isAllowed ? onClick : undefined}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
