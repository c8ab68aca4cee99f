import { ActionIcon, Anchor, Menu, Skeleton, Tooltip } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { UnprocessableError } from '../../../../sdk/src/index.ts';
import { csvRows } from '../../analytics/cells.ts';
import { chartTexts } from '../../analytics/charts/texts.ts';
import { useDrawing, ViewChart } from '../../analytics/charts/view-chart.tsx';
import { csvOf, download } from '../../analytics/csv.ts';
import type { Query, Result } from '../../analytics/query.ts';
import { hasValues, tableOf } from '../../analytics/table.ts';
import { useFigures } from '../../analytics/use-figures.ts';
import { useValueFormat } from '../../analytics/use-value-format.ts';
import { browserZone } from '../../analytics/zone.ts';
import { DownloadIcon, MoreIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { useScope } from '../../session/use-session.ts';
import classes from './analytics.module.css';
import type { Figure } from './figure.ts';
import { FigureDialog } from './figure-dialog.tsx';
import { ViewDialog } from './view-dialog.tsx';

type Open = 'figures' | 'save';

interface FigureCardProps {
  readonly figure: Figure;
  /** More of its menu. */
  readonly items?: ReactNode;
}

/** A chart with its definition, its figures, its query, a file, and the calls behind every point. */
export function FigureCard({ figure, items }: FigureCardProps) {
  const { title, about, query, isWide = false } = figure;
  const texts = useTexts(chartTexts);
  const { reason } = useScope('analytics:write');
  const { data, error, refetch, isPlaceholderData } = useFigures(query);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <section className={classes.card} aria-label={title} data-is-wide={isWide || undefined}>
      <div className={classes.head}>
        <Tooltip label={about} multiline w={300} position="bottom-start">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the definition is shown to keyboard users, too. */}
          <h2 className={classes.title} tabIndex={0}>
            {title}
          </h2>
        </Tooltip>
        <Menu position="bottom-end" width={230} withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={texts.actions(title)} disabled={data === undefined}>
              <MoreIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setOpen('figures')}>{texts.figures}</Menu.Item>
            <Menu.Item
              leftSection={<DownloadIcon size={16} />}
              onClick={() => data !== undefined && saveFile(figure, data)}
            >
              {texts.csv}
            </Menu.Item>
            <Menu.Item disabled={reason !== null} onClick={() => setOpen('save')}>
              {texts.save}
              {reason !== null && <span className="visually-hidden"> ({reason})</span>}
            </Menu.Item>
            {items}
          </Menu.Dropdown>
        </Menu>
      </div>
      {data === undefined ? (
        <Missing error={error} onRetry={refetch} />
      ) : (
        <Drawing figure={figure} result={data} isOld={isPlaceholderData} isOpen={open === 'figures'} onClose={close} />
      )}
      {open === 'save' && (
        <ViewDialog
          id={null}
          view={{ name: title, description: null, chart: figure.chart, query: savedQuery(query) }}
          onClose={close}
        />
      )}
    </section>
  );
}

function Missing({ error, onRetry }: { readonly error: Error | null; readonly onRetry: () => unknown }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(chartTexts);
  if (error instanceof UnprocessableError) {
    return (
      <p className={classes.empty}>
        {texts.tooMuch}. {texts.tooMuchNext}
      </p>
    );
  }
  if (error !== null) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <div aria-busy="true">
      <span className="visually-hidden" role="status">
        {shared.loading}
      </span>
      <Skeleton height={220} />
    </div>
  );
}

interface DrawingProps {
  readonly figure: Figure;
  readonly result: Result;
  /** The figures for the filters before these. */
  readonly isOld: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Drawing({ figure, result, isOld, isOpen, onClose }: DrawingProps) {
  const { title, query, chart, none } = figure;
  const texts = useTexts(chartTexts);
  // The rows of the last query do not fit the new one.
  const [shown, setShown] = useState({ query, result });
  if (!isOld && (shown.result !== result || shown.query !== query)) setShown({ query, result });
  const { drawn, picked } = useDrawing({ title, chart, ...shown });
  const isEmpty = !hasValues(shown.query, drawn.table);
  return (
    <div className={classes.body} data-is-old={isOld || undefined} aria-busy={isOld || undefined}>
      {isEmpty ? (
        <div className={classes.empty}>{none}</div>
      ) : (
        <ViewChart drawn={drawn} chart={chart} picked={picked} />
      )}
      {result.truncated && <p className={classes.note}>{texts.truncated}</p>}
      {query.metrics.includes('unpricedCalls') && !isEmpty && <Unpriced result={shown.result} />}
      {isOpen && <FigureDialog figure={figure} drawn={drawn} result={shown.result} onClose={onClose} />}
    </div>
  );
}

/** A sum of costs says nothing without the share of calls that are missing in it. */
function Unpriced({ result }: { readonly result: Result }) {
  const texts = useTexts(chartTexts);
  const format = useValueFormat();
  const sum = (name: string) => result.rows.reduce((total, { values }) => total + (values[name] ?? 0), 0);
  const share = sum('unpricedCalls') / Math.max(1, sum('calls'));
  return (
    <p className={classes.note}>
      {share === 0 ? texts.allPriced : texts.unpriced(format.value(share, 'ratio'))}{' '}
      <Anchor component={Link} href="/settings/prices" size="xs" inherit underline="always">
        {texts.prices}
      </Anchor>
    </p>
  );
}

function saveFile({ title, query }: Figure, result: Result): void {
  download(`${title}.csv`, csvOf(csvRows(query, tableOf(query, result))));
}

/** The time zone of the browser is that of the viewer. */
function savedQuery({ timeZone, ...query }: Query): Query {
  return timeZone === browserZone() ? query : { timeZone, ...query };
}
