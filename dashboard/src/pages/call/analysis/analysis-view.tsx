import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Analysis, Call, CallAnalysis, Turn } from '../../../../../sdk/src/index.ts';
import { isOpen } from '../../../calls/call.ts';
import { RotateIcon } from '../../../icons.tsx';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { Card } from '../../../parts/card.tsx';
import { describeError, ErrorState } from '../../../parts/error-state.tsx';
import { GuardedButton, ScopeGuard } from '../../../parts/scope-guard.tsx';
import classes from './analysis.module.css';
import { AnalysisHistory } from './analysis-history.tsx';
import { AnalysisValues, type ChosenValue } from './analysis-values.tsx';
import { QuotedConversation } from './quoted-conversation.tsx';
import { analysisTexts } from './texts.ts';
import { TryFields } from './try-fields.tsx';
import { useAnalyses, useRerun } from './use-analyses.ts';

interface AnalysisViewProps {
  readonly call: Call;
  readonly turns: readonly Turn[] | null;
}

type Shown =
  | { readonly kind: 'preview'; readonly analysis: CallAnalysis }
  | { readonly kind: 'stored'; readonly analysis: Analysis };

/** What was extracted from the call, what it is based on, earlier results, and a preview of other fields. */
export function AnalysisView({ call, turns }: AnalysisViewProps) {
  const texts = useTexts(analysisTexts);
  const [shown, setShown] = useState<Shown | null>(null);
  const [chosen, setChosen] = useState<ChosenValue | null>(null);
  const { analyses, isPending, error, refetch, hasNextPage, fetchNextPage } = useAnalyses(call);
  const show = (next: Shown | null) => {
    setShown(next);
    setChosen(null);
  };
  if (isOpen(call)) {
    return (
      <Card>
        <Text c="dimmed">{texts.open}</Text>
      </Card>
    );
  }
  const analysis = shown?.analysis ?? call.analysis;
  const currentId = analyses.find(({ revision }) => revision > 0 && revision === call.analysis.revision)?.id ?? null;
  const shownId = shown === null ? currentId : shown.kind === 'stored' ? shown.analysis.id : null;
  const canAnalyze = turns?.some(({ role }) => role === 'caller') ?? false;
  const back = shown !== null && (
    <Button size="xs" variant="default" onClick={() => show(null)}>
      {texts.backToResult}
    </Button>
  );
  return (
    <div className={classes.layout}>
      <div className={classes.column}>
        <Card title={shown?.kind === 'preview' ? texts.preview : texts.result} actions={back}>
          <Result analysis={analysis} chosen={chosen} onChoose={setChosen} />
        </Card>
        <Card
          title={texts.history}
          actions={canAnalyze && <Rerun call={call} isPending={isPending} onRun={() => show(null)} />}
        >
          {error === null ? (
            <AnalysisHistory
              analyses={analyses}
              shownId={shownId}
              onShow={(stored) => show({ kind: 'stored', analysis: stored })}
              onMore={hasNextPage ? () => void fetchNextPage() : null}
            />
          ) : (
            <ErrorState error={error} onRetry={refetch} />
          )}
        </Card>
      </div>
      <div className={classes.column}>
        <Card title={texts.conversation}>
          <QuotedConversation turns={turns} chosen={chosen} hasValues={analysis.status === 'completed'} />
        </Card>
        {canAnalyze && (
          <Card title={texts.try}>
            <ScopeGuard scope="calls:write">
              <TryFields call={call} onPreview={(preview) => show({ kind: 'preview', analysis: preview })} />
            </ScopeGuard>
          </Card>
        )}
      </div>
    </div>
  );
}

interface ResultProps {
  readonly analysis: CallAnalysis;
  readonly chosen: ChosenValue | null;
  readonly onChoose: (value: ChosenValue | null) => void;
}

function Result({ analysis, chosen, onChoose }: ResultProps) {
  const texts = useTexts(analysisTexts);
  const { status, reason } = analysis;
  if (status === 'completed') return <AnalysisValues analysis={analysis} chosen={chosen} onChoose={onChoose} />;
  if (status === 'pending' || status === 'none') return <Text role="status">{texts.pending}</Text>;
  return (
    <Text>
      {texts[status]}: {reason === null ? '' : texts[reason]}
      {reason === 'provider_not_configured' && (
        <>
          {' '}
          <Anchor component={Link} href="/settings/providers" inherit>
            {texts.connect}
          </Anchor>
        </>
      )}
    </Text>
  );
}

interface RerunProps {
  readonly call: Call;
  readonly isPending: boolean;
  readonly onRun: () => void;
}

function Rerun({ call, isPending, onRun }: RerunProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(analysisTexts);
  const { mutate, error, isPending: isSent } = useRerun(call);
  const run = () => {
    onRun();
    mutate();
  };
  return (
    <Group gap="sm">
      {error !== null && (
        <Alert color="red" role="alert" py="xs">
          {describeError(error, shared).title}
        </Alert>
      )}
      <GuardedButton
        scope="calls:write"
        size="xs"
        variant="default"
        leftSection={<RotateIcon size={16} />}
        disabled={isPending || isSent}
        onClick={run}
      >
        {texts.run}
      </GuardedButton>
    </Group>
  );
}
