import { Table } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Document } from '../../../../sdk/src/index.ts';
import { isInWork, repetitionOf, toneOf } from '../../knowledge/documents.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { ActionsCell, DataTable } from '../../parts/data-table.tsx';
import { Dot } from '../../parts/dot.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useNotice } from '../../parts/notice.ts';
import row from '../../parts/row.module.css';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import classes from './knowledge.module.css';
import { documentNames, documentTexts } from './texts.ts';

interface DocumentTableProps {
  readonly documents: readonly Document[];
  readonly onOpen: (document: Document) => void;
  readonly onDelete: (document: Document) => void;
}

export function DocumentTable({ documents, ...actions }: DocumentTableProps) {
  const texts = useTexts(documentTexts);
  return (
    <DataTable
      label={texts.documents}
      columns={[texts.name, texts.status, texts.content, texts.age, { title: texts.actions, isTitleHidden: true }]}
      cardsBelow="medium"
    >
      {documents.map((document) => (
        <Row key={document.id} document={document} {...actions} />
      ))}
    </DataTable>
  );
}

interface RowProps extends Pick<DocumentTableProps, 'onOpen' | 'onDelete'> {
  readonly document: Document;
}

function Row({ document, onOpen, onDelete }: RowProps) {
  const { format } = useLanguage();
  const texts = useTexts(documentTexts);
  const names = useTexts(documentNames);
  const { name, type, url, lastFetchedAt, readyAt, staleSince } = document;
  const from = lastFetchedAt ?? readyAt;
  return (
    <Table.Tr>
      <Table.Td>
        <button type="button" className={classes.open} data-opens-row onClick={() => onOpen(document)}>
          {name}
        </button>
        <span className={row.quiet}>{url ?? names[type]}</span>
      </Table.Td>
      <Table.Td data-title={texts.status}>
        <State document={document} />
      </Table.Td>
      <Table.Td data-title={texts.content}>
        <Content document={document} />
      </Table.Td>
      <Table.Td data-title={texts.age}>
        {from === null ? '—' : <Ago at={from} />}
        {staleSince !== null && <span className={row.quiet}>{texts.stale(format.ago(staleSince))}</span>}
      </Table.Td>
      <ActionsCell>
        <Repeat document={document} />
        <GuardedButton
          scope="knowledge:write"
          variant="subtle"
          size="compact-sm"
          color="var(--app-bad)"
          onClick={() => onDelete(document)}
        >
          {texts.delete}
          <span className="visually-hidden"> ({name})</span>
        </GuardedButton>
      </ActionsCell>
    </Table.Tr>
  );
}

/** What is being done, or why it failed. */
function State({ document }: { readonly document: Document }) {
  const texts = useTexts(documentTexts);
  const names = useTexts(documentNames);
  const { status, error, revision, warnings } = document;
  return (
    <span aria-busy={isInWork(document) || undefined}>
      <Dot tone={toneOf(document)}>{names[status]}</Dot>
      {status === 'failed' && error !== null && (
        <span className={classes.problem}>
          {names[error.code]}
          {/* Which status a server returned, for example, is only in the words of the service. */}
          {error.code === 'fetch_failed' && <span className={row.quiet}>{error.message}</span>}
        </span>
      )}
      {status === 'failed' && revision > 0 && <span className={row.quiet}>{texts.stillServed}</span>}
      {warnings.map(({ code }) => (
        <span key={code} className={row.quiet}>
          {names[code]}
        </span>
      ))}
    </span>
  );
}

function Content({ document: { chunkCount, pageCount, characterCount } }: { readonly document: Document }) {
  const { format } = useLanguage();
  const texts = useTexts(documentTexts);
  if (chunkCount === null) return '—';
  return (
    <>
      {texts.chunkCount(format.number(chunkCount))}
      <span className={row.quiet}>
        {[
          pageCount === null ? null : texts.pageCount(format.number(pageCount)),
          characterCount === null ? null : texts.characterCount(format.number(characterCount)),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </span>
    </>
  );
}

/** Fetches a page again, or tries again what failed. */
function Repeat({ document }: { readonly document: Document }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(documentTexts);
  const notice = useNotice();
  const { documents } = useClient();
  const queryClient = useQueryClient();
  const repeating = useSingleMutation({
    mutationFn: async () => await documents.refresh(document.knowledgeBaseId, document.id),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['knowledge'] });
      notice(texts.started);
    },
    onError: (error) => notice(describeError(error, shared).advice, 'bad'),
  });
  const repetition = repetitionOf(document);
  if (repetition === null) return null;
  return (
    <GuardedButton
      scope="knowledge:write"
      variant="subtle"
      size="compact-sm"
      loading={repeating.isPending}
      onClick={() => repeating.mutate()}
    >
      {texts[repetition]}
      <span className="visually-hidden"> ({document.name})</span>
    </GuardedButton>
  );
}
