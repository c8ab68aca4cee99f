import { Table } from '@mantine/core';
import type { Agent, AuditEntry } from '../../../../sdk/src/index.ts';
import { Ago } from '../../parts/ago.tsx';
import { ActionsCell, DataTable } from '../../parts/data-table.tsx';
import { useKeyNames } from '../../parts/key-names.ts';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { VersionBadge } from '../../parts/version-badge.tsx';
import { useScope, useSession } from '../../session/use-session.ts';
import { useAgentTexts } from './texts.ts';
import { entryOf, useTrail } from './version-list.ts';
import classes from './versions.module.css';

interface VersionTableProps {
  readonly versions: readonly Agent[];
  readonly from: number;
  readonly to: number;
  readonly onChoose: (choice: { from?: number; to?: number }) => void;
  readonly onRestore: (version: number) => void;
}

export function VersionTable({ versions, from, to, onChoose, onRestore }: VersionTableProps) {
  const texts = useAgentTexts();
  const newest = versions[0]?.version;
  const live = versions.find(({ isPublished }) => isPublished)?.version;
  const trail = useTrail(versions[0]?.id ?? '', versions.at(-1)?.updatedAt ?? '');
  return (
    <DataTable
      label={texts.versions}
      columns={[
        texts.from,
        texts.to,
        texts.columnVersion,
        texts.columnDescription,
        texts.columnWhen,
        texts.columnWho,
        { title: texts.columnActions, isTitleHidden: true },
      ]}
      cardsBelow="narrow"
      className={classes.table}
    >
      {versions.map((version) => {
        const { version: number, isPublished, versionDescription, updatedAt } = version;
        return (
          <Table.Tr key={number}>
            <Table.Td className={classes.radioCell as string} data-title={texts.from}>
              <input
                type="radio"
                name="compare-from"
                aria-label={texts.compareFrom(number)}
                checked={from === number}
                onChange={() => onChoose({ from: number })}
              />
            </Table.Td>
            <Table.Td className={classes.radioCell as string} data-title={texts.to}>
              <input
                type="radio"
                name="compare-to"
                aria-label={texts.compareTo(number)}
                checked={to === number}
                onChange={() => onChoose({ to: number })}
              />
            </Table.Td>
            <Table.Td data-title={texts.columnVersion}>
              <span className={classes.version}>
                {number} <VersionBadge state={number === live ? 'live' : isPublished ? 'published' : 'draft'} />
              </span>
            </Table.Td>
            <Table.Td data-title={texts.columnDescription}>
              {versionDescription || <span className={classes.quiet}>{texts.noDescription}</span>}
            </Table.Td>
            <Table.Td data-title={texts.columnWhen}>
              <Ago at={updatedAt} />
            </Table.Td>
            <Table.Td data-title={texts.columnWho}>
              <Who version={version} trail={trail} />
            </Table.Td>
            <ActionsCell>
              {number !== newest && (
                <GuardedButton
                  scope="agents:write"
                  variant="default"
                  size="compact-sm"
                  onClick={() => onRestore(number)}
                >
                  {texts.restore}
                  <span className="visually-hidden"> ({texts.version(number)})</span>
                </GuardedButton>
              )}
            </ActionsCell>
          </Table.Tr>
        );
      })}
    </DataTable>
  );
}

/** The key that changed it last, if the current key may see that. */
function Who({ version, trail }: { readonly version: Agent; readonly trail: readonly AuditEntry[] | null }) {
  const texts = useAgentTexts();
  const { whoami } = useSession();
  const { isAllowed, reason } = useScope('audit:read');
  const names = useKeyNames();
  if (!isAllowed) {
    return (
      <span className={classes.quiet} title={`${texts.whoHidden} ${reason}`}>
        —
        <span className="visually-hidden">
          {texts.whoHidden} {reason}
        </span>
      </span>
    );
  }
  if (trail === null) return null;
  const entry = entryOf(version, trail);
  if (entry === undefined) return <span className={classes.quiet}>{texts.whoUnknown}</span>;
  if (entry.keyId === null) return texts.whoCommandLine;
  const name = names.get(entry.keyId) ?? entry.keyId;
  return entry.keyId === whoami.keyId ? texts.withYou(name) : name;
}
