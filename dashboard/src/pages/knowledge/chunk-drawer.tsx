import { Button, Drawer, Stack, Text } from '@mantine/core';
import type { Document } from '../../../../sdk/src/index.ts';
import classes from '../../knowledge/knowledge.module.css';
import { Passage } from '../../knowledge/passage.tsx';
import { knowledgeTexts } from '../../knowledge/texts.ts';
import { useChunks } from '../../knowledge/use-knowledge.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { documentTexts } from './texts.ts';

interface ChunkDrawerProps {
  readonly document: Document;
  readonly onClose: () => void;
}

/** A document as the agent sees it: its chunks. */
export function ChunkDrawer({ document, onClose }: ChunkDrawerProps) {
  const { texts: shared } = useLanguage();
  useFocusReturn(true);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={document.name}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <Chunks document={document} />
    </Drawer>
  );
}

function Chunks({ document }: { readonly document: Document }) {
  const { texts: shared, format } = useLanguage();
  const texts = useTexts(documentTexts);
  const { chunk: chunkName } = useTexts(knowledgeTexts);
  const { items, data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useChunks(document);
  if (data === undefined) return error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {items.length === 0 ? texts.noChunks : texts.chunksHint}
      </Text>
      <ol className={classes.passages}>
        {items.map((chunk) => (
          <li key={chunk.id}>
            <Passage chunk={chunk} title={chunkName(format.number(chunk.index + 1))} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button variant="default" mx="auto" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {shared.loadMore}
        </Button>
      )}
    </Stack>
  );
}
