import { Stack, Table, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Evaluation, EvaluationMiss } from '../../../../sdk/src/index.ts';
import { maxQuestions, questionsIn } from '../../knowledge/evaluation.ts';
import { useDocuments } from '../../knowledge/use-knowledge.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Failure } from '../../parts/dialog.tsx';
import row from '../../parts/row.module.css';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { evaluationTexts } from './evaluation-texts.ts';

/** Measures how well a base answers questions whose answer is known, and shows the misses. */
export function EvaluationView({ baseId }: { readonly baseId: string }) {
  const { format } = useLanguage();
  const texts = useTexts(evaluationTexts);
  const { knowledgeBases } = useClient();
  const [text, setText] = useState('');
  const [issue, setIssue] = useState<string | null>(null);
  const [evaluation, setEvaluation] = useState<Evaluation | null>(null);
  const running = useSingleMutation({
    mutationFn: async (questions: ReturnType<typeof questionsIn>['questions']) =>
      await knowledgeBases.evaluate(baseId, { questions }),
    onSuccess: setEvaluation,
  });
  const run = () => {
    const { questions, badLine } = questionsIn(text);
    const found =
      badLine !== null
        ? texts.badLine(format.number(badLine))
        : questions.length === 0
          ? texts.missing
          : questions.length > maxQuestions
            ? texts.many
            : null;
    setIssue(found);
    if (found === null) running.mutate(questions);
  };
  return (
    <Stack gap="md">
      <Card>
        <Stack gap="md" align="flex-start">
          <Text size="sm" c="dimmed">
            {texts.about}
          </Text>
          <Textarea
            w="100%"
            label={texts.questions}
            description={texts.questionsHint}
            placeholder={texts.placeholder}
            value={text}
            error={issue}
            autosize
            minRows={4}
            maxRows={14}
            onChange={({ currentTarget: { value } }) => setText(value)}
          />
          {running.error !== null && <Failure error={running.error} />}
          <BusyButton isBusy={running.isPending} onClick={run}>
            {texts.run}
          </BusyButton>
        </Stack>
      </Card>
      {evaluation !== null && <Results evaluation={evaluation} />}
      {evaluation !== null && <Misses baseId={baseId} misses={evaluation.misses} />}
    </Stack>
  );
}

function Results({ evaluation: { modes } }: { readonly evaluation: Evaluation }) {
  const { format } = useLanguage();
  const texts = useTexts(evaluationTexts);
  return (
    <Card title={texts.results} isFlush>
      <DataTable
        label={texts.results}
        columns={[texts.mode, texts.hitRate1, texts.hitRate, texts.rank]}
        cardsBelow="narrow"
      >
        {modes.map(({ mode, hitRate1, hitRate, meanReciprocalRank }) => (
          <Table.Tr key={mode}>
            <Table.Td>{texts[mode]}</Table.Td>
            <Table.Td data-title={texts.hitRate1}>{format.share(hitRate1)}</Table.Td>
            <Table.Td data-title={texts.hitRate}>{format.share(hitRate)}</Table.Td>
            <Table.Td data-title={texts.rank}>{format.rounded(meanReciprocalRank)}</Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </Card>
  );
}

interface MissesProps {
  readonly baseId: string;
  readonly misses: readonly EvaluationMiss[];
}

function Misses({ baseId, misses }: MissesProps) {
  const texts = useTexts(evaluationTexts);
  const { data: documents = [] } = useDocuments(baseId);
  const nameOf = (documentId: string) => documents.find(({ id }) => id === documentId)?.name ?? documentId;
  if (misses.length === 0) return <Card title={texts.misses}>{texts.noMisses}</Card>;
  return (
    <Card title={texts.misses} isFlush>
      <DataTable
        label={texts.misses}
        columns={[texts.question, texts.expected, texts.got, texts.reason]}
        cardsBelow="medium"
      >
        {misses.map(({ mode, query, expected, got, reason }) => (
          <Table.Tr key={`${mode} ${query} ${expected.join()}`}>
            <Table.Td>
              {query}
              <span className={row.quiet}>{texts[mode]}</span>
            </Table.Td>
            <Table.Td data-title={texts.expected}>{expected.join(', ')}</Table.Td>
            <Table.Td data-title={texts.got}>
              {got.length === 0
                ? texts.nothing
                : got.map(({ documentId, score }, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: several chunks of a document may be found.
                    <span key={index} className={row.quiet}>
                      {nameOf(documentId)} ({score.toFixed(2)})
                    </span>
                  ))}
            </Table.Td>
            <Table.Td data-title={texts.reason}>{texts[reason]}</Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </Card>
  );
}
