import { Table, UnstyledButton } from '@mantine/core';
import type { AnalysisEvidence, CallAnalysis } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import classes from './analysis.module.css';
import { analysisTexts } from './texts.ts';

type Evidence = NonNullable<AnalysisEvidence>;

export interface ChosenValue {
  /** The path of the field in the analysis. */
  readonly field: string;
  readonly evidence: Evidence;
}

interface AnalysisValuesProps {
  readonly analysis: CallAnalysis;
  readonly chosen: ChosenValue | null;
  readonly onChoose: (value: ChosenValue | null) => void;
}

/** The values of an analysis. One with evidence is a button that shows the turn it is based on. */
export function AnalysisValues({ analysis, chosen, onChoose }: AnalysisValuesProps) {
  const texts = useTexts(analysisTexts);
  const { format } = useLanguage();
  const { summary, successful, sentiment, data, evidence, issues } = analysis;
  const shown = (value: string | number | boolean | null): string => {
    if (value === null) return texts.unknown;
    if (typeof value === 'boolean') return value ? texts.yes : texts.no;
    return typeof value === 'number' ? format.number(value) : value;
  };
  const rows = [
    { field: 'summary', label: texts.summary, value: summary, basis: null },
    { field: 'successful', label: texts.successful, value: shown(successful), basis: evidence.successful },
    {
      field: 'sentiment',
      label: texts.sentiment,
      value: sentiment === null ? null : texts[sentiment],
      basis: evidence.sentiment,
    },
    ...Object.entries(data).map(([name, value]) => ({
      field: `data.${name}`,
      label: name,
      value: shown(value),
      basis: Object.getOwnPropertyDescriptor(evidence.data, name)?.value as AnalysisEvidence,
    })),
  ];
  return (
    <Table className={classes.values as string} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{texts.field}</Table.Th>
          <Table.Th scope="col">{texts.value}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ field, label, value, basis }) => (
          <Table.Tr key={field}>
            <Table.Th scope="row">{label}</Table.Th>
            <Table.Td>
              {basis === null || basis === undefined ? (
                <span>{value ?? texts.unknown}</span>
              ) : (
                <Based
                  label={label}
                  value={value ?? texts.unknown}
                  evidence={basis}
                  isChosen={chosen?.field === field}
                  onChoose={(isChosen) => onChoose(isChosen ? { field, evidence: basis } : null)}
                />
              )}
              {issues
                .filter((issue) => issue.field === field)
                .map(({ code }) => (
                  <span key={code} className={classes.issue}>
                    {texts[code]}
                  </span>
                ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface BasedProps {
  readonly label: string;
  readonly value: string;
  readonly evidence: Evidence;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function Based({ label, value, evidence: { quote, rationale }, isChosen, onChoose }: BasedProps) {
  const texts = useTexts(analysisTexts);
  return (
    <>
      <UnstyledButton
        className={classes.based as string}
        aria-pressed={isChosen}
        title={texts.showQuote(label)}
        onClick={() => onChoose(!isChosen)}
      >
        <span>{value}</span>
        <q className={classes.quote}>{quote}</q>
      </UnstyledButton>
      {isChosen && rationale !== null && <span className={classes.rationale}>{rationale}</span>}
    </>
  );
}
