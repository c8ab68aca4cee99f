import { Button, Checkbox, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../../sdk/src/index.ts';
import { isPageUrl } from '../../knowledge/documents.ts';
import { useDocuments } from '../../knowledge/use-knowledge.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { documentTexts, websiteTexts } from './texts.ts';

interface AddWebsiteProps {
  readonly baseId: string;
  readonly onClose: () => void;
}

interface Found {
  readonly urls: readonly string[];
  readonly truncated: boolean;
}

/** Finds the pages of a website, and adds those that are ticked. */
export function AddWebsite({ baseId, onClose }: AddWebsiteProps) {
  const texts = useTexts(documentTexts);
  const website = useTexts(websiteTexts);
  const { knowledgeBases } = useClient();
  const [url, setUrl] = useState('');
  const [hasTried, setHasTried] = useState(false);
  const [found, setFound] = useState<Found | null>(null);
  const finding = useSingleMutation({
    mutationFn: async () => await knowledgeBases.pages.find(baseId, { url: url.trim() }),
    onSuccess: setFound,
  });
  if (found !== null) return <ChoosePages baseId={baseId} found={found} onClose={onClose} />;
  const issue = isPageUrl(url.trim()) ? null : texts.urlIssue;
  const submit = () => {
    setHasTried(true);
    if (issue === null) finding.mutate();
  };
  const isUnreadable = finding.error instanceof ApiError && finding.error.status === 502;
  return (
    <ActionDialog
      title={website.title}
      confirm={website.find}
      isForm
      action={finding}
      explanation={isUnreadable ? website.unreadable : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.url}
        description={website.urlHint}
        placeholder="https://"
        type="url"
        value={url}
        error={hasTried && issue}
        maxLength={2048}
        onChange={({ currentTarget: { value } }) => setUrl(value)}
        data-autofocus
      />
    </ActionDialog>
  );
}

function ChoosePages({ baseId, found, onClose }: AddWebsiteProps & { readonly found: Found }) {
  const { format } = useLanguage();
  const texts = useTexts(documentTexts);
  const website = useTexts(websiteTexts);
  const { data: documents = [] } = useDocuments(baseId);
  const has = new Set(documents.map(({ url }) => url));
  const urls = found.urls.filter((url) => !has.has(url));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const ticked = urls.filter((url) => chosen.includes(url));
  const adding = useAddingPages(baseId, onClose);
  const isFull = adding.error instanceof ApiError && adding.error.code === 'LIMIT_REACHED';
  return (
    <ActionDialog
      title={website.title}
      confirm={website.add(format.number(ticked.length))}
      size="lg"
      action={adding}
      isBarred={ticked.length === 0}
      explanation={isFull ? texts.limit : undefined}
      onConfirm={() => adding.mutate(ticked)}
      onClose={onClose}
    >
      <Group justify="space-between">
        <Text size="sm">{website.found(format.number(urls.length))}</Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={() => setChosen(urls)}>
            {website.all}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => setChosen([])}>
            {website.none}
          </Button>
        </Group>
      </Group>
      {found.truncated && <Text size="xs">{website.truncated}</Text>}
      <ScrollArea.Autosize mah="50vh" type="auto">
        <Checkbox.Group value={[...ticked]} onChange={setChosen} aria-label={website.pages}>
          <Stack gap="xs">
            {urls.map((url) => (
              <Checkbox key={url} value={url} label={url} styles={{ label: { overflowWrap: 'anywhere' } }} />
            ))}
          </Stack>
        </Checkbox.Group>
      </ScrollArea.Autosize>
    </ActionDialog>
  );
}

function useAddingPages(baseId: string, onDone: () => void) {
  const { format } = useLanguage();
  const website = useTexts(websiteTexts);
  const notice = useNotice();
  const { documents } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async (urls: readonly string[]) => {
      try {
        for (const url of urls) await documents.create(baseId, { url });
      } finally {
        // Those that were added before a failure are then no longer offered.
        await queryClient.invalidateQueries({ queryKey: ['knowledge'] });
      }
      return urls.length;
    },
    onSuccess: (count) => {
      notice(website.added(format.number(count)));
      onDone();
    },
  });
}
