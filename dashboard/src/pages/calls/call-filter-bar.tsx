import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { type CallStatus, type EndReason, openStatuses, terminalStatuses } from '../../calls/call.ts';
import { AgentFields, DirectionField, TypeField } from '../../calls/call-filter-fields.tsx';
import { endReasonTexts, statusTexts } from '../../calls/call-texts.ts';
import { SearchIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { DateRange } from '../../parts/date-range.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { type CallFilters, countFilters, endReasons } from './call-filters.ts';
import classes from './calls.module.css';
import { NumberFilter } from './number-filter.tsx';
import { callsTexts } from './texts.ts';

interface CallFilterBarProps {
  readonly filters: CallFilters;
  readonly onChange: (change: Partial<CallFilters>) => void;
  readonly onClear: () => void;
}

export function CallFilterBar({ filters, onChange, onClear }: CallFilterBarProps) {
  return (
    <>
      <TranscriptFilter
        key={filters.transcript === '' ? 'empty' : 'set'}
        transcript={filters.transcript}
        onChange={(transcript) => onChange({ transcript })}
      />
      <FilterBar count={countFilters({ ...filters, transcript: '' })} className={classes.filters} onClear={onClear}>
        <Fields filters={filters} onChange={onChange} />
      </FilterBar>
    </>
  );
}

const searchDelayMs = 300;

interface TranscriptFilterProps {
  readonly transcript: string;
  readonly onChange: (transcript: string) => void;
}

/** Searches transcripts when typing pauses. */
function TranscriptFilter({ transcript, onChange }: TranscriptFilterProps) {
  const texts = useTexts(callsTexts);
  const [text, setText] = useState(transcript);
  const search = useDebouncedCallback(onChange, searchDelayMs);
  const change = (next: string) => {
    setText(next);
    search(next);
  };
  return (
    <search className={classes.search}>
      <TextInput
        type="search"
        size="sm"
        aria-label={texts.transcript}
        placeholder={texts.transcriptHint}
        leftSection={<SearchIcon size={16} />}
        maxLength={100}
        value={text}
        description={[...text.trim()].length === 1 ? texts.transcriptShort : null}
        inputWrapperOrder={['input', 'description']}
        onChange={(event) => change(event.currentTarget.value)}
      />
    </search>
  );
}

function Fields({ filters, onChange }: Pick<CallFilterBarProps, 'filters' | 'onChange'>) {
  const texts = useTexts(callsTexts);
  const statuses = useTexts(statusTexts);
  const reasons = useTexts(endReasonTexts);
  return (
    <>
      <AgentFields agentId={filters.agentId} agentVersion={filters.agentVersion} onChange={onChange} />
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
      <TypeField type={filters.type} onChange={(type) => onChange({ type })} />
      <DateRange from={filters.from} to={filters.to} onChange={onChange} />
      {/* Only a phone call has a number, and a direction that says something. */}
      {(filters.type === 'phone' || filters.direction !== '' || filters.phoneNumberId !== '') && (
        <>
          <NumberFilter
            phoneNumberId={filters.phoneNumberId}
            onChange={(phoneNumberId) => onChange({ phoneNumberId })}
          />
          <DirectionField direction={filters.direction} onChange={(direction) => onChange({ direction })} />
        </>
      )}
    </>
  );
}
