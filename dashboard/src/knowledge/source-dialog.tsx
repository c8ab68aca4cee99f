import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type KnowledgeSource, NotFoundError } from '../../../sdk/src/index.ts';
import { useTexts } from '../language/language.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { RowSkeletons } from '../parts/row-skeletons.tsx';
import { useClient } from '../session/use-session.ts';
import { Passage } from './passage.tsx';
import { knowledgeTexts } from './texts.ts';

interface SourceDialogProps {
  readonly source: KnowledgeSource;
  readonly onClose: () => void;
}

/** The passage that a reply was based on. */
export function SourceDialog({ source, onClose }: SourceDialogProps) {
  const texts = useTexts(knowledgeTexts);
  return (
    <Dialog onClose={onClose} title={texts.passage} size="lg">
      <Stack gap="md">
        <Source source={source} />
        <Anchor component={Link} href={`/knowledge/${source.knowledgeBaseId}`} size="sm">
          {texts.toBase}
        </Anchor>
      </Stack>
    </Dialog>
  );
}

function Source({ source }: { readonly source: KnowledgeSource }) {
  const texts = useTexts(knowledgeTexts);
  const { documents, knowledgeBases } = useClient();
  const { knowledgeBaseId, documentId, chunkId, score } = source;
  const { data, error, refetch } = useQuery({
    queryKey: ['knowledge', 'source', chunkId],
    queryFn: async ({ signal }) => {
      try {
        const [chunk, document] = await Promise.all([
          knowledgeBases.chunks.get(knowledgeBaseId, chunkId, { signal }),
          documents.get(knowledgeBaseId, documentId, { signal }),
        ]);
        return { chunk, name: document.name };
      } catch (error) {
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
  });
  if (data === undefined) return error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />;
  if (data === null) return <Text size="sm">{texts.chunkGone}</Text>;
  return <Passage chunk={data.chunk} title={data.name} notes={[texts.score(score.toFixed(2))]} />;
}
