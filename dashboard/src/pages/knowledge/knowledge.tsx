import { Table } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { KnowledgeBase } from '../../../../sdk/src/index.ts';
import { BookIcon, PlusIcon } from '../../icons.tsx';
import { useBases } from '../../knowledge/use-knowledge.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNewParameter } from '../../parts/new-parameter.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { usePageName } from '../../parts/page-name.ts';
import { ListCard } from '../../parts/resource-state.tsx';
import row from '../../parts/row.module.css';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { BaseForm } from './base-form.tsx';
import { BaseStatus } from './base-status.tsx';
import { knowledgePageTexts } from './texts.ts';

export function Knowledge() {
  const texts = useTexts(knowledgePageTexts);
  const [, navigate] = useLocation();
  const [isCreating, setIsCreating] = useState(false);
  useNewParameter('knowledge:write', () => setIsCreating(true));
  useFocusReturn(isCreating);
  const actions = (
    <GuardedButton scope="knowledge:write" leftSection={<PlusIcon size={16} />} onClick={() => setIsCreating(true)}>
      {texts.create}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={texts.description} actions={actions} />
      <ScopeGuard scope="knowledge:read">
        <List />
      </ScopeGuard>
      {isCreating && (
        <BaseForm base={null} onClose={() => setIsCreating(false)} onSaved={({ id }) => navigate(`/knowledge/${id}`)} />
      )}
    </>
  );
}

function List() {
  const texts = useTexts(knowledgePageTexts);
  const label = usePageName();
  const empty = (
    <EmptyState icon={<BookIcon />} title={texts.emptyTitle}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <ListCard list={useBases()} empty={empty}>
      {(bases) => (
        <DataTable
          label={label}
          columns={[texts.name, texts.status, texts.documents, texts.chunks, texts.updated]}
          cardsBelow="narrow"
        >
          {bases.map((base) => (
            <Row key={base.id} base={base} />
          ))}
        </DataTable>
      )}
    </ListCard>
  );
}

function Row({ base }: { readonly base: KnowledgeBase }) {
  const { format } = useLanguage();
  const texts = useTexts(knowledgePageTexts);
  const { id, name, description, documentCount, chunkCount, updatedAt } = base;
  return (
    <Table.Tr>
      <Table.Td>
        <Link href={`/knowledge/${id}`} className={row.link as string} data-opens-row>
          {name}
        </Link>
        {description !== null && <span className={row.quiet}>{description}</span>}
      </Table.Td>
      <Table.Td data-title={texts.status}>
        <BaseStatus base={base} />
      </Table.Td>
      <Table.Td data-title={texts.documents}>{format.number(documentCount)}</Table.Td>
      <Table.Td data-title={texts.chunks}>{format.number(chunkCount)}</Table.Td>
      <Table.Td data-title={texts.updated}>
        <Ago at={updatedAt} />
      </Table.Td>
    </Table.Tr>
  );
}
