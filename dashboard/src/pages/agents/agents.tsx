import { Button, CloseButton, Kbd, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { AgentIcon, PlusIcon, SearchIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import table from '../../parts/virtual-table.module.css';
import { focusFirstRow } from '../../parts/virtual-table.tsx';
import { useScope } from '../../session/use-session.ts';
import { useAgentList } from './agent-list.ts';
import { AgentTable } from './agent-table.tsx';
import { type AgentView, maxSearch, readView, sorts, states, writeView } from './agent-view.ts';
import classes from './agents.module.css';
import { agentsTexts } from './texts.ts';

const searchDelayMs = 150;

export function Agents() {
  const { description, newAgent } = useTexts(agentsTexts);
  const create = (
    <GuardedButton scope="agents:write" href="/agents/new" leftSection={<PlusIcon size={16} />}>
      {newAgent}
    </GuardedButton>
  );
  return (
    <div className={table.page}>
      <PageHeader description={description} actions={create} />
      <ScopeGuard scope="agents:read">
        <SearchedAgents />
      </ScopeGuard>
    </div>
  );
}

/** The search, the filter and the order are part of the URL, so that they can be shared and survive a reload. */
function SearchedAgents() {
  const [parameters, setParameters] = useSearchParams();
  const view = useMemo(() => readView(parameters), [parameters]);
  const [typed, setTyped] = useState(view.q);
  const search = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const show = (change: Partial<AgentView>) => setParameters(writeView({ ...view, ...change }), { replace: true });
  const showSoon = useDebouncedCallback((q: string) => show({ q }), searchDelayMs);
  useShortcuts(search);
  const type = (text: string) => {
    setTyped(text);
    showSoon(text);
  };
  const clear = () => {
    setTyped('');
    showSoon.cancel();
    show({ q: '', state: 'any' });
    search.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && typed !== '') clear();
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    focusFirstRow(place.current);
  };
  return (
    <>
      <search className={classes.toolbar}>
        <SearchField ref={search} value={typed} onType={type} onClear={clear} onKeyDown={onKeyDown} />
        <ViewFields view={view} onChange={show} />
        <Shortcuts />
      </search>
      <div className={table.place} ref={place}>
        <Card isFlush>
          <Results view={view} onClear={clear} />
        </Card>
      </div>
    </>
  );
}

interface ViewFieldsProps {
  readonly view: AgentView;
  readonly onChange: (change: Partial<AgentView>) => void;
}

function ViewFields({ view, onChange }: ViewFieldsProps) {
  const texts = useTexts(agentsTexts);
  const stateTexts = {
    any: texts.anyState,
    live: texts.stateLive,
    changed: texts.stateChanged,
    unpublished: texts.stateUnpublished,
  };
  const sortTexts = { created: texts.sortCreated, changed: texts.sortChanged, name: texts.sortName };
  return (
    <>
      <NativeSelect
        aria-label={texts.filterState}
        className={classes.choice as string}
        data={states.map((value) => ({ value, label: stateTexts[value] }))}
        value={view.state}
        onChange={(event) => onChange({ state: event.currentTarget.value as AgentView['state'] })}
      />
      <NativeSelect
        aria-label={texts.sort}
        className={classes.choice as string}
        data={sorts.map((value) => ({ value, label: sortTexts[value] }))}
        value={view.sort}
        onChange={(event) => onChange({ sort: event.currentTarget.value as AgentView['sort'] })}
      />
    </>
  );
}

interface SearchFieldProps {
  readonly ref: React.Ref<HTMLInputElement>;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly onClear: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function SearchField({ ref, value, onType, onClear, onKeyDown }: SearchFieldProps) {
  const { search, searchHint, clear } = useTexts(agentsTexts);
  return (
    <TextInput
      ref={ref}
      type="search"
      className={classes.search as string}
      aria-label={search}
      placeholder={searchHint}
      leftSection={<SearchIcon size={16} />}
      rightSection={
        value === '' ? <Kbd size="xs">/</Kbd> : <CloseButton size="sm" aria-label={clear} onClick={onClear} />
      }
      value={value}
      maxLength={maxSearch}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onType(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function Shortcuts() {
  const { keysMove, keysOpen, keysNew } = useTexts(agentsTexts);
  return (
    <Text component="div" size="xs" c="dimmed" className={classes.keys as string}>
      <Kbd size="xs">↑</Kbd>
      <Kbd size="xs">↓</Kbd>
      <span>{keysMove}</span>
      <Kbd size="xs">Enter</Kbd>
      <span>{keysOpen}</span>
      <Kbd size="xs">n</Kbd>
      <span>{keysNew}</span>
    </Text>
  );
}

function Results({ view, onClear }: { readonly view: AgentView; readonly onClear: () => void }) {
  const texts = useTexts(agentsTexts);
  const { q: query } = view;
  const list = useAgentList(query);
  if (list.isPending) return <RowSkeletons />;
  if (list.rows.length > 0) return <AgentTable list={list} view={view} />;
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (query !== '') {
    const clear = (
      <Button variant="default" onClick={onClear}>
        {texts.clear}
      </Button>
    );
    return (
      <EmptyState icon={<SearchIcon />} title={texts.nothingTitle(query)} actions={clear}>
        {texts.nothingNext}
      </EmptyState>
    );
  }
  const create = (
    <GuardedButton scope="agents:write" href="/agents/new" leftSection={<PlusIcon size={16} />}>
      {texts.newAgent}
    </GuardedButton>
  );
  return (
    <EmptyState icon={<AgentIcon />} title={texts.emptyTitle} actions={create}>
      {texts.emptyNext}
    </EmptyState>
  );
}

/** "/" focuses the search and "n" creates an agent, unless the focus is in an input. */
function useShortcuts(search: React.RefObject<HTMLInputElement | null>): void {
  const [, navigate] = useLocation();
  const { isAllowed } = useScope('agents:write');
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || isField(event.target)) return;
      if (event.key === '/') search.current?.focus();
      else if (event.key === 'n' && isAllowed) navigate('/agents/new');
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [search, navigate, isAllowed]);
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role=menu]') !== null
  );
}
