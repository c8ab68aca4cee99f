import { Button, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { AuditIcon, SearchIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import classes from './audit.module.css';
import { useAuditList } from './audit-list.ts';
import { AuditTable } from './audit-table.tsx';
import { auditTexts } from './texts.ts';

const maxId = 64;

export function Audit() {
  const { texts } = useLanguage();
  const { description } = useTexts(auditTexts);
  return (
    <div className={classes.page}>
      <PageHeader title={texts.audit} description={description} />
      <ScopeGuard scope="audit:read">
        <FilteredTrail />
      </ScopeGuard>
    </div>
  );
}

function FilteredTrail() {
  const texts = useTexts(auditTexts);
  const [parameters, setParameters] = useSearchParams();
  const resourceId = (parameters.get('resourceId') ?? '').slice(0, maxId);
  const show = (id: string) => setParameters(id === '' ? {} : { resourceId: id });
  const clear = (
    <Button variant="default" onClick={() => show('')}>
      {texts.clear}
    </Button>
  );
  return (
    <>
      <search className={classes.toolbar}>
        <Filter key={resourceId} resourceId={resourceId} onFilter={show} />
        {resourceId !== '' && clear}
      </search>
      <div className={classes.place}>
        <Card isFlush>
          <Results resourceId={resourceId} clear={clear} />
        </Card>
      </div>
    </>
  );
}

interface FilterProps {
  readonly resourceId: string;
  readonly onFilter: (id: string) => void;
}

function Filter({ resourceId, onFilter }: FilterProps) {
  const texts = useTexts(auditTexts);
  const [typed, setTyped] = useState(resourceId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFilter(typed.trim());
  };
  return (
    <form onSubmit={submit} className={classes.filter}>
      <TextInput
        type="search"
        aria-label={texts.filter}
        placeholder={texts.filterHint}
        leftSection={<SearchIcon size={16} />}
        value={typed}
        maxLength={maxId}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => typed.trim() !== resourceId && onFilter(typed.trim())}
      />
    </form>
  );
}

function Results({ resourceId, clear }: { readonly resourceId: string; readonly clear: React.ReactNode }) {
  const texts = useTexts(auditTexts);
  const list = useAuditList(resourceId);
  if (list.isPending) return <RowSkeletons />;
  if (list.entries.length > 0) return <AuditTable key={resourceId} list={list} />;
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (resourceId === '') {
    return (
      <EmptyState icon={<AuditIcon />} title={texts.emptyTitle}>
        {texts.emptyNext}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchIcon />} title={texts.nothingTitle} actions={clear}>
      <Text ff="monospace" size="sm">
        {resourceId}
      </Text>
      {texts.nothingNext}
    </EmptyState>
  );
}
