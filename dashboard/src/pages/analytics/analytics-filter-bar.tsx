import { Button, NativeSelect, Select, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import {
  type AnalyticsFilters,
  comparisons,
  countConditions,
  periods,
  possibleIntervals,
} from '../../analytics/filters.ts';
import { browserZone } from '../../analytics/zone.ts';
import { callTypes, directions } from '../../calls/call.ts';
import { typeTexts } from '../../calls/call-texts.ts';
import { useTexts } from '../../language/language.tsx';
import { DateRange } from '../../parts/date-range.tsx';
import { dayOf } from '../../parts/days.ts';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { directionTexts } from '../../phone/texts.ts';
import { AgentFilter } from '../calls/agent-filter.tsx';
import classes from './analytics.module.css';
import { analyticsTexts } from './texts.ts';

interface AnalyticsFilterBarProps {
  readonly filters: AnalyticsFilters;
  readonly onChange: (change: Partial<AnalyticsFilters>) => void;
  readonly onClear: () => void;
}

export function AnalyticsFilterBar(props: AnalyticsFilterBarProps) {
  return (
    <FilterBar count={countConditions(props.filters)} className={classes.filters}>
      <CallFields {...props} />
      <TimeFields {...props} />
    </FilterBar>
  );
}

function CallFields({ filters, onChange, onClear }: AnalyticsFilterBarProps) {
  const texts = useTexts(analyticsTexts);
  const types = useTexts(typeTexts);
  const words = useTexts(directionTexts);
  return (
    <>
      <AgentFilter agentId={filters.agentId} onChange={(agentId) => onChange({ agentId, agentVersion: '' })} />
      <TextInput
        size="xs"
        label={texts.version}
        placeholder={texts.anyVersion}
        inputMode="numeric"
        maxLength={9}
        value={filters.agentVersion}
        onChange={(event) => onChange({ agentVersion: event.currentTarget.value.replaceAll(/\D/g, '') })}
      />
      <NativeSelect
        size="xs"
        label={texts.type}
        data={[{ value: '', label: texts.any }, ...callTypes.map((value) => ({ value, label: types[value] }))]}
        value={filters.type}
        onChange={(event) => onChange({ type: event.currentTarget.value as AnalyticsFilters['type'] })}
      />
      <NativeSelect
        size="xs"
        label={texts.direction}
        data={[{ value: '', label: texts.any }, ...directions.map((value) => ({ value, label: words[value] }))]}
        value={filters.direction}
        onChange={(event) => onChange({ direction: event.currentTarget.value as AnalyticsFilters['direction'] })}
      />
      {countConditions(filters) > 0 && (
        <Button size="xs" variant="subtle" onClick={onClear} className={classes.clear as string}>
          {texts.clear}
        </Button>
      )}
    </>
  );
}

function TimeFields({ filters, onChange }: AnalyticsFilterBarProps) {
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
