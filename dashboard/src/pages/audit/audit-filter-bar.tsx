import { NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { DateRange } from '../../parts/date-range.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { useKeyNames } from '../../parts/key-names.ts';
import { routeIds, routeText } from '../../parts/route-texts.ts';
import classes from './audit.module.css';
import { type AuditFilters, commandLine, countAuditFilters, maxId } from './audit-filters.ts';
import { auditTexts } from './texts.ts';

interface AuditFilterBarProps {
  readonly filters: AuditFilters;
  readonly onChange: (change: Partial<AuditFilters>) => void;
  readonly onClear: () => void;
}

export function AuditFilterBar({ filters, onChange, onClear }: AuditFilterBarProps) {
  return (
    <FilterBar count={countAuditFilters(filters)} className={classes.filters} onClear={onClear}>
      <Fields filters={filters} onChange={onChange} />
    </FilterBar>
  );
}

function Fields({ filters, onChange }: Omit<AuditFilterBarProps, 'onClear'>) {
  const { language } = useLanguage();
  const texts = useTexts(auditTexts);
  const names = useKeyNames();
  const actors = [
    { value: '', label: texts.anyone },
    ...[...names].map(([value, label]) => ({ value, label })),
    { value: commandLine, label: texts.commandLine },
  ];
  // A key that is not among the latest ones is shown by its id.
  const isListed = actors.some(({ value }) => value === filters.keyId);
  return (
    <>
      <ResourceField key={filters.resourceId} resourceId={filters.resourceId} onChange={onChange} />
      <NativeSelect
        size="xs"
        label={texts.who}
        data={isListed ? actors : [...actors, { value: filters.keyId, label: filters.keyId }]}
        value={filters.keyId}
        onChange={(event) => onChange({ keyId: event.currentTarget.value })}
      />
      <NativeSelect
        size="xs"
        label={texts.what}
        data={[
          { value: '', label: texts.anyAction },
          ...routeIds.map((value) => ({ value, label: routeText(value, language) })),
        ]}
        value={filters.routeId}
        onChange={(event) => onChange({ routeId: event.currentTarget.value })}
      />
      <DateRange from={filters.from} to={filters.to} onChange={onChange} />
    </>
  );
}

function ResourceField({
  resourceId,
  onChange,
}: Pick<AuditFilterBarProps, 'onChange'> & { readonly resourceId: string }) {
  const texts = useTexts(auditTexts);
  const [typed, setTyped] = useState(resourceId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ resourceId: typed.trim() });
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        type="search"
        size="xs"
        label={texts.filter}
        placeholder={texts.filterHint}
        value={typed}
        maxLength={maxId}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => typed.trim() !== resourceId && onChange({ resourceId: typed.trim() })}
      />
    </form>
  );
}
