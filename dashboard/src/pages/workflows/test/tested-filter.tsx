import { Table, Text } from '@mantine/core';
import type { WorkflowTest } from '../../../../../sdk/src/index.ts';
import { useTexts } from '../../../language/language.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { Dot } from '../../../parts/dot.tsx';
import row from '../../../parts/row.module.css';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import { opText } from '../../../workflows/words.ts';
import classes from './test.module.css';
import { testTexts } from './texts.ts';

/** The conditions of the trigger, one by one: what is expected, and what the call has. */
export function TestedFilter({ conditions }: { readonly conditions: WorkflowTest['filter'] }) {
  const texts = useTexts(testTexts);
  const words = useWorkflowTexts();
  if (conditions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.noConditions}
      </Text>
    );
  }
  return (
    <div className={classes.conditions}>
      <DataTable
        label={texts.conditions}
        columns={[texts.condition, texts.expected, texts.actual, texts.result]}
        verticalSpacing="xs"
        horizontalSpacing="sm"
        cardsBelow="narrow"
      >
        {conditions.map(({ path, field, op, expected, actual, result }) => (
          <Table.Tr key={path}>
            <Table.Td>
              <code className={classes.field}>{field}</code>
              {path !== '' && path !== field && <span className={row.quiet}>{path}</span>}
            </Table.Td>
            <Table.Td data-title={texts.expected}>
              {op === 'exists' ? (
                expected === true ? (
                  texts.hasValue
                ) : (
                  texts.hasNone
                )
              ) : (
                <>
                  {opText(op, words)} <Value value={expected} />
                </>
              )}
            </Table.Td>
            <Table.Td data-title={texts.actual}>
              {actual === null ? <span className={row.quiet}>{texts.noValue}</span> : <Value value={actual} />}
            </Table.Td>
            <Table.Td data-title={texts.result}>
              <Dot tone={result ? 'good' : 'bad'}>{result ? texts.holds : texts.fails}</Dot>
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </div>
  );
}

const maxLength = 300;

function Value({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value) ?? '';
  return <code className={classes.value}>{text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}</code>;
}
