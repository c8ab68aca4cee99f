import { Button, Collapse, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type CallStatus, callTypes, type EndReason, openStatuses, terminalStatuses } from '../../calls/call.ts';
import { endReasonTexts, statusTexts, typeTexts } from '../../calls/call-texts.ts';
import { FilterIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { AgentFilter } from './agent-filter.tsx';
import { type CallFilters, countFilters, endReasons } from './call-filters.ts';
import classes from './calls.module.css';
import { ChoiceFilter } from './choice-filter.tsx';
import { callsTexts } from './texts.ts';

interface FilterBarProps {
  readonly filters: CallFilters;
  readonly onChange: (change: Partial<CallFilters>) => void;
  readonly onClear: () => void;
}

/** On narrow screens the fields are behind a button. */
export function FilterBar(props: FilterBarProps) {
  const { format } = useLanguage();
  const texts = useTexts(callsTexts);
  const isNarrow = useIsNarrow();
  const [isShown, setIsShown] = useState(false);
  const count = countFilters(props.filters);
  if (!isNarrow) {
    return (
      <search className={classes.filters}>
        <Fields {...props} />
      </search>
    );
  }
  return (
    <search>
      <Button
        variant="default"
        size="xs"
        mb="sm"
        leftSection={<FilterIcon size={16} />}
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        {count === 0 ? texts.filters : texts.filtersSet(format.number(count))}
      </Button>
      <Collapse expanded={isShown}>
        <div className={classes.filters}>
          <Fields {...props} />
        </div>
      </Collapse>
    </search>
  );
}

function Fields({ filters, onChange, onClear }: FilterBarProps) {
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
      <TextInput
        size="xs"
        type="date"
        label={texts.from}
        value={filters.from}
        max={filters.to || undefined}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        size="xs"
        type="date"
        label={texts.to}
        value={filters.to}
        min={filters.from || undefined}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
      {countFilters(filters) > 0 && (
        <Button size="xs" variant="subtle" onClick={onClear}>
          {texts.clear}
        </Button>
      )}
    </>
  );
}
