import { Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SearchResult } from '../../../sdk/src/index.ts';
import { SearchIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { useClient } from '../session/use-session.ts';
import classes from './knowledge.module.css';
import { Passage } from './passage.tsx';
import { knowledgeTexts } from './texts.ts';

interface SearchBoxProps {
  readonly baseIds: readonly string[];
  readonly limit: number;
  /** The thresholds of an agent, so that it shows what the agent would get. */
  readonly minScore?: number | undefined;
  readonly minSemanticScore?: number | undefined;
  /** Default: a question. */
  readonly label?: string;
}

/** Searches bases and shows what is found, with scores and highlights. */
export function SearchBox({ baseIds, limit, minScore, minSemanticScore, label }: SearchBoxProps) {
  const texts = useTexts(knowledgeTexts);
  const { knowledgeBases } = useClient();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['knowledge', 'search', baseIds, limit, minScore, minSemanticScore, asked],
    queryFn: async ({ signal }) => {
      const body = { query: asked, limit, minScore, minSemanticScore };
      const all = await Promise.all(baseIds.map((id) => knowledgeBases.search(id, body, { signal })));
      const results = all.flatMap(({ results }) => results).sort((one, other) => other.score - one.score);
      return {
        results: results.slice(0, limit),
        isHybrid: all.some(({ mode }) => mode === 'hybrid'),
        tookMs: Math.max(...all.map(({ tookMs }) => tookMs)),
      };
    },
    enabled: asked !== '',
    gcTime: 0,
  });
  const ask = () => {
    const query = typed.trim();
    if (query === '') return;
    // The documents may have changed since the same question was asked.
    if (query === asked) refetch();
    setAsked(query);
  };
  return (
    <Stack gap="md">
      {/* Not a form: in the editor of an agent it is within one. */}
      <search className={classes.form}>
        <TextInput
          label={label ?? texts.searchLabel}
          placeholder={texts.searchPlaceholder}
          value={typed}
          maxLength={500}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          onKeyDown={(event) => {
            // Enter also ends the input of Japanese, which is no question yet.
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            ask();
          }}
        />
        <BusyButton isBusy={isFetching} variant="default" onClick={ask}>
          {texts.search}
        </BusyButton>
      </search>
      {error !== null && <ErrorState error={error} onRetry={refetch} />}
      {error === null && data !== undefined && <Results {...data} />}
    </Stack>
  );
}

interface ResultsProps {
  readonly results: readonly SearchResult[];
  readonly isHybrid: boolean;
  readonly tookMs: number;
}

function Results({ results, isHybrid, tookMs }: ResultsProps) {
  const { format } = useLanguage();
  const texts = useTexts(knowledgeTexts);
  if (results.length === 0) {
    return (
      <EmptyState icon={<SearchIcon />} title={texts.nothing}>
        {texts.nothingNext}
      </EmptyState>
    );
  }
  const found = isHybrid ? texts.foundHybrid : texts.foundLexical;
  const score = (value: number) => value.toFixed(2);
  return (
    <section aria-label={texts.results}>
      <Text size="xs" c="dimmed" mb="xs" role="status">
        {found(format.number(results.length), format.milliseconds(tookMs))}
      </Text>
      <ol className={classes.passages}>
        {results.map(({ chunk, documentName, highlights, lexicalScore, semanticScore, ...result }) => (
          <li key={chunk.id}>
            <Passage
              chunk={chunk}
              title={documentName}
              highlights={highlights}
              notes={[
                texts.score(score(result.score)),
                ...(semanticScore === null
                  ? []
                  : [texts.byWords(score(lexicalScore)), texts.byMeaning(score(semanticScore))]),
              ]}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}
