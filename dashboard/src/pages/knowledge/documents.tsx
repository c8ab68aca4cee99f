import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { Document } from '../../../../sdk/src/index.ts';
import { BookIcon } from '../../icons.tsx';
import { useDocuments } from '../../knowledge/use-knowledge.ts';
import { useTexts } from '../../language/language.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useClient } from '../../session/use-session.ts';
import { AddText, AddUrl } from './add-document.tsx';
import { AddWebsite } from './add-website.tsx';
import { ChunkDrawer } from './chunk-drawer.tsx';
import { DocumentTable } from './document-table.tsx';
import classes from './knowledge.module.css';
import { documentTexts, websiteTexts } from './texts.ts';

type Open =
  | { readonly dialog: 'text' | 'url' | 'website' }
  | { readonly dialog: 'chunks' | 'delete'; readonly document: Document };

/** The documents of a base, with what can be done with them. */
export function Documents({ baseId }: { readonly baseId: string }) {
  const texts = useTexts(documentTexts);
  const website = useTexts(websiteTexts);
  const { documents } = useClient();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  const button = { scope: 'knowledge:write', variant: 'default', size: 'xs' } as const;
  const empty = (
    <EmptyState icon={<BookIcon />} title={texts.emptyTitle}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <Stack gap="sm">
      <div className={classes.buttons}>
        <GuardedButton {...button} onClick={() => setOpen({ dialog: 'text' })}>
          {texts.addText}
        </GuardedButton>
        <GuardedButton {...button} onClick={() => setOpen({ dialog: 'url' })}>
          {texts.addUrl}
        </GuardedButton>
        <GuardedButton {...button} onClick={() => setOpen({ dialog: 'website' })}>
          {website.title}
        </GuardedButton>
      </div>
      <ListCard list={useDocuments(baseId)} empty={empty}>
        {(list) => (
          <DocumentTable
            documents={list}
            onOpen={(document) => setOpen({ dialog: 'chunks', document })}
            onDelete={(document) => setOpen({ dialog: 'delete', document })}
          />
        )}
      </ListCard>
      {open?.dialog === 'text' && <AddText baseId={baseId} onClose={close} />}
      {open?.dialog === 'url' && <AddUrl baseId={baseId} onClose={close} />}
      {open?.dialog === 'website' && <AddWebsite baseId={baseId} onClose={close} />}
      {open?.dialog === 'chunks' && <ChunkDrawer document={open.document} onClose={close} />}
      {open?.dialog === 'delete' && (
        <DeleteDialog
          title={texts.deleteTitle(open.document.name)}
          confirm={texts.delete}
          text={texts.deleteText}
          done={texts.deleteDone}
          queryKey={['knowledge']}
          onDelete={() => documents.delete(baseId, open.document.id)}
          onClose={close}
        />
      )}
    </Stack>
  );
}
