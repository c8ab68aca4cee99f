import { Button, CloseButton, Kbd, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { AgentIcon, PlusIcon, SearchIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { focusFirstRow } from '../../parts/virtual-table.tsx';
import { useScope } from '../../session/use-session.ts';
import { useAgentList } from './agent-list.ts';
import { AgentTable } from './agent-table.tsx';
import classes from './agents.module.css';
import { agentsTexts } from './texts.ts';

const searchDelayMs = 150;
const maxSearch = 500;

export function Agents() {
  const { texts } = useLanguage();
  const { description, newAgent } = useTexts(agentsTexts);
  const create = (
    <GuardedButton scope="agents:write" href="/agents/new" leftSection={<PlusIcon size={16} />}>
      {newAgent}
    </GuardedButton>
  );
  return (
    <div className={classes.page}>
      <PageHeader title={texts.agents} description={description} actions={create} />
      <ScopeGuard scope="agents:read">
        <SearchedAgents />
      </ScopeGuard>
    </div>
  );
}

/** The search is part of the URL, so that it can be shared and survives a reload. */
function SearchedAgents() {
  const [parameters, setParameters] = useSearchParams();
  const query = (parameters.get('q') ?? '').slice(0, maxSearch);
  const [typed, setTyped] = useState(query);
  const search = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const show = (text: string) => setParameters(text.trim() === '' ? {} : { q: text.trim() }, { replace: true });
  const showSoon = useDebouncedCallback(show, searchDelayMs);
  useShortcuts(search);
  const type = (text: string) => {
    setTyped(text);
    showSoon(text);
  };
  const clear = () => {
    setTyped('');
    showSoon.cancel();
    show('');
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
      <SearchField ref={search} value={typed} onType={type} onClear={clear} onKeyDown={onKeyDown} />
      <div className={classes.place} ref={place}>
        <Card isFlush>
          <Results query={query} onClear={clear} />
        </Card>
      </div>
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
  const { search, searchHint, clear, keysMove, keysOpen, keysSearch, keysNew } = useTexts(agentsTexts);
  return (
    <search className={classes.toolbar}>
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
      <Text component="div" size="xs" c="dimmed" className={classes.keys as string}>
        <Kbd size="xs">↑</Kbd>
        <Kbd size="xs">↓</Kbd>
        <span>{keysMove}</span>
        <Kbd size="xs">Enter</Kbd>
        <span>{keysOpen}</span>
        <Kbd size="xs">/</Kbd>
        <span>{keysSearch}</span>
        <Kbd size="xs">n</Kbd>
        <span>{keysNew}</span>
      </Text>
    </search>
  );
}

function Results({ query, onClear }: { readonly query: string; readonly onClear: () => void }) {
  const texts = useTexts(agentsTexts);
  const list = useAgentList(query);
  if (list.isPending) return <RowSkeletons />;
  if (list.rows.length > 0) return <AgentTable list={list} query={query} />;
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
