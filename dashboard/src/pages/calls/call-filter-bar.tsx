import { Button, NativeSelect, TextInput } from '@mantine/core';
import {
  type CallStatus,
  callTypes,
  directions,
  type EndReason,
  openStatuses,
  terminalStatuses,
} from '../../calls/call.ts';
import { endReasonTexts, statusTexts, typeTexts } from '../../calls/call-texts.ts';
import { useTexts } from '../../language/language.tsx';
import { DateRange } from '../../parts/date-range.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { directionTexts } from '../../phone/texts.ts';
import { AgentFilter } from './agent-filter.tsx';
import { type CallFilters, countFilters, endReasons } from './call-filters.ts';
import classes from './calls.module.css';
import { ChoiceFilter } from './choice-filter.tsx';
import { NumberFilter } from './number-filter.tsx';
import { callsTexts } from './texts.ts';

interface CallFilterBarProps {
  readonly filters: CallFilters;
  readonly onChange: (change: Partial<CallFilters>) => void;
  readonly onClear: () => void;
}

export function CallFilterBar(props: CallFilterBarProps) {
  return (
    <FilterBar count={countFilters(props.filters)} className={classes.filters}>
      <Fields {...props} />
    </FilterBar>
  );
}

/** Only a phone call has a number, and a direction that says something. */
function PhoneFilters({ filters, onChange }: Pick<CallFilterBarProps, 'filters' | 'onChange'>) {
  const texts = useTexts(callsTexts);
  const words = useTexts(directionTexts);
  return (
    <>
      <NumberFilter phoneNumberId={filters.phoneNumberId} onChange={(phoneNumberId) => onChange({ phoneNumberId })} />
      <NativeSelect
        size="xs"
        className={classes.direction as string}
        label={texts.direction}
        data={[{ value: '', label: texts.any }, ...directions.map((value) => ({ value, label: words[value] }))]}
        value={filters.direction}
        onChange={(event) => onChange({ direction: event.currentTarget.value as CallFilters['direction'] })}
      />
    </>
  );
}

function Fields({ filters, onChange, onClear }: CallFilterBarProps) {
  const texts = useTexts(callsTexts);
  const statuses = useTexts(statusTexts);
  const types = useTexts(typeTexts);
  const reasons = useTexts(endReasonTexts);
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
      <ChoiceFilter<CallStatus>
        label={texts.status}
        values={[...openStatuses, ...terminalStatuses]}
        texts={statuses}
        chosen={filters.status}
        onChange={(status) => onChange({ status })}
      />
      <ChoiceFilter<EndReason>
        label={texts.endReason}
        values={endReasons}
        texts={reasons}
        chosen={filters.endReason}
        onChange={(endReason) => onChange({ endReason })}
      />
      <NativeSelect
        size="xs"
        label={texts.type}
        data={[{ value: '', label: texts.any }, ...callTypes.map((value) => ({ value, label: types[value] }))]}
        value={filters.type}
        onChange={(event) => onChange({ type: event.currentTarget.value as CallFilters['type'] })}
      />
      <DateRange from={filters.from} to={filters.to} onChange={onChange} />
      {(filters.type === 'phone' || filters.direction !== '' || filters.phoneNumberId !== '') && (
        <PhoneFilters filters={filters} onChange={onChange} />
      )}
      {countFilters(filters) > 0 && (
        <Button size="xs" variant="subtle" onClick={onClear}>
          {texts.clear}
        </Button>
      )}
    </>
  );
}
