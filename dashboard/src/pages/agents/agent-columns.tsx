import { type ReactNode, useMemo } from 'react';
import { MoreIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Dot } from '../../parts/dot.tsx';
import type { Column } from '../../parts/virtual-table-column.ts';
import { useScope } from '../../session/use-session.ts';
import { tryTexts } from '../../try/texts.ts';
import { useTrial } from '../../try/try-context.ts';
import type { AgentRow } from './agent-list.ts';
import type { AgentVersions } from './agent-states.ts';
import classes from './agents.module.css';
import { createLanguageNames } from './language-names.ts';
import type { RowMenuPlace } from './row-menu.tsx';
import { agentsTexts } from './texts.ts';

interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly isAll: boolean;
  readonly selectAll: (isAll: boolean) => void;
}

interface ColumnOptions {
  readonly isNarrow: boolean;
  readonly versionsOf: (row: AgentRow) => AgentVersions;
  /** Null if the key may not change agents. */
  readonly selection: Selection | null;
  readonly onMenu: (place: RowMenuPlace) => void;
}

export function useAgentColumns({
  isNarrow,
  versionsOf,
  selection,
  onMenu,
}: ColumnOptions): readonly Column<AgentRow>[] {
  const texts = useTexts(agentsTexts);
  const { language, format } = useLanguage();
  const versionText = useMemo(() => {
    const textOf = ({ live, draft }: AgentVersions) => [
      ...(live === null ? [] : [texts.live(String(live))]),
      ...(draft === null ? [] : [texts.draft(String(draft))]),
    ];
    return (row: AgentRow) => textOf(versionsOf(row)).join(' · ');
  }, [texts, versionsOf]);
  const select = useSelectColumn(selection);
  const actions = useActionsColumn(onMenu);
  return useMemo(() => {
    const languageName = createLanguageNames(language);
    const under = (row: AgentRow) => `${versionText(row)} · ${format.ago(row.updatedAt)}`;
    return [
      select,
      {
        id: 'name',
        title: texts.name,
        cell: (row) => nameCell(row, isNarrow ? under(row) : null),
        hint: ({ name }) => name,
      },
      { id: 'engine', title: texts.engine, cell: ({ engine }) => texts[engine] },
      {
        id: 'language',
        title: texts.language,
        cell: (row) => languageName(row.language),
        hint: (row) => row.language,
      },
      { id: 'voice', title: texts.voice, cell: ({ voiceId }) => voiceId, hint: ({ voiceId }) => voiceId },
      {
        id: 'state',
        title: texts.state,
        cell: (row) => <Dot tone={versionsOf(row).live === null ? 'warn' : 'good'}>{versionText(row)}</Dot>,
        hint: versionText,
      },
      {
        id: 'changed',
        title: texts.changed,
        cell: ({ updatedAt }) => <time dateTime={updatedAt}>{format.ago(updatedAt)}</time>,
        hint: ({ updatedAt }) => format.dateTime(updatedAt),
      },
      actions,
    ];
  }, [texts, language, format, isNarrow, versionsOf, versionText, select, actions]);
}

function useSelectColumn(selection: Selection | null): Column<AgentRow> {
  const texts = useTexts(agentsTexts);
  return useMemo(
    () => ({
      id: 'select',
      title: (
        <input
          type="checkbox"
          className={classes.select}
          aria-label={texts.selectAll}
          checked={selection?.isAll ?? false}
          onChange={(event) => selection?.selectAll(event.currentTarget.checked)}
        />
      ),
      cell: ({ id, name }) => (
        <input
          type="checkbox"
          className={classes.select}
          aria-label={texts.select(name)}
          checked={selection?.selected.has(id) ?? false}
          onChange={() => selection?.toggle(id)}
        />
      ),
    }),
    [texts, selection],
  );
}

function useActionsColumn(onMenu: ColumnOptions['onMenu']): Column<AgentRow> {
  const texts = useTexts(agentsTexts);
  const trying = useTexts(tryTexts);
  const { open } = useTrial();
  const { isAllowed } = useScope('calls:write');
  return useMemo(
    () => ({
      id: 'actions',
      title: <span className="visually-hidden">{texts.actions}</span>,
      cell: (row) => (
        <span className={classes.actions}>
          {/* Without the scope there is nothing to press; the page of an agent says why. */}
          {isAllowed && (
            <button
              type="button"
              className={classes.try}
              aria-label={trying.tryAgent(row.name)}
              onClick={() => open({ id: row.id, name: row.name })}
            >
              {trying.try}
            </button>
          )}
          <button
            type="button"
            className={classes.more}
            aria-label={texts.actionsOf(row.name)}
            aria-haspopup="menu"
            onClick={(event) => onMenu({ row, button: event.currentTarget })}
          >
            <MoreIcon size={20} />
          </button>
        </span>
      ),
    }),
    [texts, trying, open, isAllowed, onMenu],
  );
}

/** The link covers the whole row. On narrow screens, it also shows what has no column. */
function nameCell({ id, name }: AgentRow, under: string | null): ReactNode {
  return (
    <>
      <a href={`/agents/${id}`} className={classes.name} data-opens-row>
        {name}
      </a>
      {under !== null && <span className={classes.under}>{under}</span>}
    </>
  );
}
