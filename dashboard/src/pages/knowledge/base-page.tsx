import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type KnowledgeBase, NotFoundError } from '../../../../sdk/src/index.ts';
import { synonymText } from '../../knowledge/documents.ts';
import { SearchBox } from '../../knowledge/search-box.tsx';
import { useBase } from '../../knowledge/use-knowledge.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { BackLink } from '../../parts/back-link.tsx';
import { Card } from '../../parts/card.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { Facts, Id } from '../../parts/facts.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { MoreItem, MoreMenu } from '../../parts/more-menu.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PendingPage } from '../../parts/resource-state.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { ViewTabs } from '../../parts/view-tabs.tsx';
import { useClient, useScope } from '../../session/use-session.ts';
import { BaseForm } from './base-form.tsx';
import { BaseStatus } from './base-status.tsx';
import { Documents } from './documents.tsx';
import { DropArea, UploadButton, UploadProgress } from './drop-area.tsx';
import { evaluationTexts } from './evaluation-texts.ts';
import { EvaluationView } from './evaluation-view.tsx';
import { knowledgePageTexts } from './texts.ts';
import { useUploads } from './use-uploads.ts';

export function BasePage({ id }: { readonly id: string }) {
  return (
    <ScopeGuard scope="knowledge:read">
      <Loader id={id} />
    </ScopeGuard>
  );
}

function Loader({ id }: { readonly id: string }) {
  const texts = useTexts(knowledgePageTexts);
  const { data, error, refetch } = useBase(id);
  if (data === undefined || error instanceof NotFoundError) {
    const list = { href: '/knowledge', name: texts.toList };
    return <PendingPage error={error} onRetry={refetch} list={list} texts={texts} />;
  }
  return <Loaded base={data} />;
}

function Loaded({ base }: { readonly base: KnowledgeBase }) {
  const texts = useTexts(knowledgePageTexts);
  const { title: evaluation } = useTexts(evaluationTexts);
  const uploads = useUploads(base.id);
  const { isAllowed } = useScope('knowledge:write');
  return (
    <>
      <PageHeader
        title={base.name}
        above={<BackLink href="/knowledge">{texts.toList}</BackLink>}
        beside={<BaseStatus base={base} />}
        description={base.description ?? undefined}
        actions={
          <>
            <UploadButton onFiles={uploads.add} />
            <BaseMenu base={base} />
          </>
        }
      />
      {isAllowed && <DropArea onFiles={uploads.add} />}
      <UploadProgress uploads={uploads} />
      <ViewTabs
        label={texts.views}
        views={{
          documents: { title: texts.documents, content: () => <Documents baseId={base.id} /> },
          search: { title: texts.search, content: () => <SearchView base={base} /> },
          evaluation: { title: evaluation, content: () => <EvaluationView baseId={base.id} /> },
          settings: { title: texts.facts, content: () => <Settings base={base} /> },
        }}
      />
    </>
  );
}

function SearchView({ base }: { readonly base: KnowledgeBase }) {
  const texts = useTexts(knowledgePageTexts);
  return (
    <Card>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {texts.searchNext}
        </Text>
        <SearchBox baseIds={[base.id]} limit={10} />
      </Stack>
    </Card>
  );
}

function Settings({ base }: { readonly base: KnowledgeBase }) {
  const { format } = useLanguage();
  const texts = useTexts(knowledgePageTexts);
  const { id, language, chunkSize, synonyms, semantic, chunkCount } = base;
  const meaning = {
    off: texts.semanticOff,
    building: texts.semanticBuilding(format.share(semantic.coverage)),
    ready: texts.semanticReady,
    failed: texts.semanticFailed,
  };
  const groups = <span style={{ whiteSpace: 'pre-line' }}>{synonymText(synonyms)}</span>;
  return (
    <Card>
      <Facts
        facts={[
          [texts.id, <Id key="id">{id}</Id>],
          [texts.language, language],
          [texts.chunks, format.number(chunkCount)],
          [texts.chunkSize, format.number(chunkSize)],
          [texts.semantic, meaning[semantic.status]],
          [texts.synonyms, synonyms.length === 0 ? texts.none : groups],
        ]}
      />
    </Card>
  );
}

function BaseMenu({ base }: { readonly base: KnowledgeBase }) {
  const texts = useTexts(knowledgePageTexts);
  const { knowledgeBases } = useClient();
  const [, navigate] = useLocation();
  const { reason } = useScope('knowledge:write');
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  return (
    <>
      <MoreMenu label={texts.more}>
        <MoreItem reason={reason} onClick={() => setOpen('edit')}>
          {texts.editItem}
        </MoreItem>
        <MoreItem reason={reason} isDangerous onClick={() => setOpen('delete')}>
          {texts.delete}
        </MoreItem>
      </MoreMenu>
      {open === 'edit' && <BaseForm base={base} onClose={close} onSaved={close} />}
      {open === 'delete' && (
        <DeleteDialog
          title={texts.deleteTitle}
          confirm={texts.delete}
          text={texts.deleteText}
          inUse={texts.deleteInUse}
          done={texts.deleteDone}
          queryKey={['knowledge', 'list']}
          onDelete={() => knowledgeBases.delete(base.id)}
          onDone={() => navigate('/knowledge', { replace: true })}
          onClose={close}
        />
      )}
    </>
  );
}
