import { Button, Group, Stack, Text } from '@mantine/core';
import { csvRows } from '../../analytics/cells.ts';
import type { Drawn } from '../../analytics/charts/drawn.ts';
import { FigureTable } from '../../analytics/charts/figure-table.tsx';
import { chartTexts } from '../../analytics/charts/texts.ts';
import { csvOf, download } from '../../analytics/csv.ts';
import { metricOf, type Result } from '../../analytics/query.ts';
import { useFieldList } from '../../analytics/use-field-list.ts';
import { DownloadIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { JsonBlock } from '../../parts/json-block.tsx';
import classes from './analytics.module.css';
import type { Figure } from './figure.ts';

interface FigureDialogProps {
  readonly figure: Figure;
  readonly drawn: Drawn;
  readonly result: Result;
  readonly onClose: () => void;
}

/** Everything that is needed to check a chart: definition, figures, calls, query and time. */
export function FigureDialog({ figure, drawn, result, onClose }: FigureDialogProps) {
  const { format } = useLanguage();
  const texts = useTexts(chartTexts);
  const { title, about } = figure;
  const { query, table } = drawn;
  const save = () => download(`${title}.csv`, csvOf(csvRows(query, table)));
  return (
    <Dialog title={title} size="xl" onClose={onClose}>
      <Stack gap="md">
        <div>
          <Text size="sm">{about}</Text>
          <Text size="xs" c="dimmed" mt={4}>
            {texts.asOf(format.dateTime(result.asOf), result.timeZone)}
          </Text>
        </div>
        <FigureTable drawn={drawn} />
        <Group>
          <Button variant="default" size="xs" leftSection={<DownloadIcon size={16} />} onClick={save}>
            {texts.csv}
          </Button>
        </Group>
        <Definitions drawn={drawn} />
        <div>
          <h3 className={classes.subtitle}>{texts.query}</h3>
          <Text size="xs" c="dimmed" mb={6}>
            {texts.queryNext}
          </Text>
          <JsonBlock value={query} label={texts.query} />
          <CopyButton value={JSON.stringify(query, null, 2)} label={texts.copyQuery} size="xs" mt="xs" />
        </div>
      </Stack>
    </Dialog>
  );
}

/** What the service itself says about its metrics, in English. */
function Definitions({ drawn: { query } }: { readonly drawn: Drawn }) {
  const texts = useTexts(chartTexts);
  const { data } = useFieldList();
  const names = query.metrics.map(metricOf);
  const known =
    data?.filter(({ kind, name }) => kind === 'metric' && (names as (string | undefined)[]).includes(name)) ?? [];
  if (known.length === 0) return null;
  return (
    <div>
      <h3 className={classes.subtitle}>{texts.definition}</h3>
      <dl className={classes.definitions} lang="en">
        {known.map(({ name, definition }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{definition}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
