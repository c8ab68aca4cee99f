import { NativeSelect, Select } from '@mantine/core';
import { useMemo } from 'react';
import {
  type AnalyticsFilters,
  comparisons,
  countConditions,
  periods,
  possibleIntervals,
} from '../../analytics/filters.ts';
import { browserZone } from '../../analytics/zone.ts';
import { AgentFields, DirectionField, TypeField } from '../../calls/call-filter-fields.tsx';
import { useTexts } from '../../language/language.tsx';
import { DateRange } from '../../parts/date-range.tsx';
import { dayOf } from '../../parts/days.ts';
import { FilterBar } from '../../parts/filter-bar.tsx';
import classes from './analytics.module.css';
import { analyticsTexts } from './texts.ts';

interface AnalyticsFilterBarProps {
  readonly filters: AnalyticsFilters;
  readonly onChange: (change: Partial<AnalyticsFilters>) => void;
  readonly onClear: () => void;
}

export function AnalyticsFilterBar({ filters, onChange, onClear }: AnalyticsFilterBarProps) {
  return (
    <FilterBar count={countConditions(filters)} className={classes.filters} onClear={onClear}>
      <AgentFields agentId={filters.agentId} agentVersion={filters.agentVersion} onChange={onChange} />
      <TypeField type={filters.type} onChange={(type) => onChange({ type })} />
      <DirectionField direction={filters.direction} onChange={(direction) => onChange({ direction })} />
      <TimeFields filters={filters} onChange={onChange} />
    </FilterBar>
  );
}

function TimeFields({ filters, onChange }: Omit<AnalyticsFilterBarProps, 'onClear'>) {
  const texts = useTexts(analyticsTexts);
  const words = { previous: texts.previous, week: texts.weekBefore, month: texts.monthBefore, year: texts.yearBefore };
  const choosePeriod = (period: AnalyticsFilters['period']) =>
    onChange(period === 'days' ? { period, from: dayBefore(6), to: dayBefore(0) } : { period, from: '', to: '' });
  return (
    <>
      <NativeSelect
        size="xs"
        label={texts.period}
        data={periods.map((value) => ({ value, label: texts[value] }))}
        value={filters.period}
        onChange={(event) => choosePeriod(event.currentTarget.value as AnalyticsFilters['period'])}
      />
      {filters.period === 'days' && <DateRange from={filters.from} to={filters.to} onChange={onChange} />}
      <NativeSelect
        size="xs"
        label={texts.interval}
        data={[
          { value: '', label: texts.automatic },
          ...possibleIntervals(filters).map((value) => ({ value, label: texts[value] })),
        ]}
        value={filters.interval}
        onChange={(event) => onChange({ interval: event.currentTarget.value as AnalyticsFilters['interval'] })}
      />
      <NativeSelect
        size="xs"
        label={texts.compare}
        data={[{ value: '', label: texts.nothing }, ...comparisons.map((value) => ({ value, label: words[value] }))]}
        value={filters.compare}
        onChange={(event) => onChange({ compare: event.currentTarget.value as AnalyticsFilters['compare'] })}
      />
      <ZoneField zone={filters.timeZone} onChange={(timeZone) => onChange({ timeZone })} />
    </>
  );
}

function ZoneField({ zone, onChange }: { readonly zone: string; readonly onChange: (zone: string) => void }) {
  const texts = useTexts(analyticsTexts);
  const own = browserZone();
  const zones = useMemo(() => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), own])], [own]);
  return (
    <Select
      size="xs"
      label={texts.timeZone}
      data={zones.map((value) => ({ value, label: value === own ? texts.ofBrowser(value) : value }))}
      searchable
      limit={100}
      allowDeselect={false}
      nothingFoundMessage={texts.noZone}
      value={zone === '' ? own : zone}
      onChange={(value) => onChange(value === null || value === own ? '' : value)}
    />
  );
}

/** A day in the time zone of the browser. */
function dayBefore(days: number): string {
  const now = new Date();
  return dayOf(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() - days)).toISOString().slice(0, 10));
}
