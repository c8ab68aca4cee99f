// biome-ignore-all lint/a11y/useSemanticElements: a list of options below a field has no element of its own.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the field.

import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { AgentIcon, SearchIcon } from '../icons.tsx';
import { useTexts } from '../language/language.tsx';
import { useFocusReturn } from '../parts/focus-return.ts';
import { useScope, useSession } from '../session/use-session.ts';
import { useTrial } from '../try/try-context.ts';
import { type Command, useCommands } from './commands.tsx';
import classes from './palette.module.css';
import { paletteTexts } from './texts.ts';

const searchDelayMs = 120;
const maxAgents = 8;
const maxSearch = 500;

/** Pages, actions and agents in one search, for Ctrl+K. It is open while it is rendered. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts(paletteTexts);
  useFocusReturn(true);
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="12dvh"
      padding={0}
      radius="lg"
      size={560}
      attributes={{ content: { 'aria-label': texts.title } }}
    >
      <Search onDone={onClose} />
    </Modal>
  );
}

function Search({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(paletteTexts);
  const [typed, setTyped] = useState('');
  const groups = useResults(typed.trim());
  const commands = useMemo(() => groups.flatMap((group) => group.commands), [groups]);
  const [place, setPlace] = useState(0);
  const active = commands[Math.min(place, commands.length - 1)];
  const listId = useId();
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === 'Enter') run(active);
    else if (step !== undefined) setPlace((place + step + commands.length) % Math.max(1, commands.length));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={active === undefined ? undefined : optionId(listId, active)}
        aria-label={texts.title}
        placeholder={texts.hint}
        value={typed}
        maxLength={maxSearch}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
        leftSection={<SearchIcon size={18} />}
        variant="unstyled"
        size="lg"
        classNames={{ input: classes.input as string }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <Options listId={listId} groups={groups} active={active} onRun={run} />
      {commands.length === 0 && (
        <p role="status" className={classes.nothing}>
          {texts.nothing}
        </p>
      )}
    </>
  );
}

interface OptionsProps {
  readonly listId: string;
  readonly groups: ReturnType<typeof useResults>;
  readonly active: Command | undefined;
  readonly onRun: (command: Command) => void;
}

function Options({ listId, groups, active, onRun }: OptionsProps) {
  const texts = useTexts(paletteTexts);
  useEffect(() => {
    if (active !== undefined) document.getElementById(optionId(listId, active))?.scrollIntoView({ block: 'nearest' });
  }, [listId, active]);
  return (
    <div role="listbox" id={listId} aria-label={texts.results} className={classes.options}>
      {groups.map(({ label, commands }) => (
        <div key={label} role="group" aria-label={label}>
          <div className={classes.group} aria-hidden="true">
            {label}
          </div>
          {commands.map((command) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles all keys.
            <div
              key={command.id}
              role="option"
              id={optionId(listId, command)}
              aria-selected={command === active}
              className={classes.option}
              onClick={() => onRun(command)}
            >
              {command.icon}
              <span className={classes.label}>{command.label}</span>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function optionId(listId: string, { id }: Command): string {
  return `${listId}-${id}`;
}

/** What matches: pages and actions here, agents by a search of the service. */
function useResults(query: string) {
  const texts = useTexts(paletteTexts);
  const agents = useAgents(query);
  const known = useCommands();
  return useMemo(() => {
    const wanted = fold(query);
    const matching = known.map(({ label, commands }) => ({
      label,
      commands: commands.filter(({ label, words }) => fold(`${label} ${words ?? ''}`).includes(wanted)),
    }));
    // Those who search for a name want the agent; those who have typed nothing want to go somewhere.
    const found = { label: texts.agents, commands: agents };
    const all = query === '' ? [...matching, found] : [found, ...matching];
    return all.filter(({ commands }) => commands.length > 0);
  }, [known, agents, query, texts]);
}

function useAgents(query: string): readonly Command[] {
  const texts = useTexts(paletteTexts);
  const { client } = useSession();
  const { isAllowed } = useScope('agents:read');
  const { isAllowed: canTalk } = useScope('calls:write');
  const { open } = useTrial();
  const [, navigate] = useLocation();
  const [search] = useDebouncedValue(query, searchDelayMs);
  const { data } = useQuery({
    queryKey: ['agents', 'palette', search],
    queryFn: async ({ signal }) => {
      const { items } = await client.agents.list({ limit: maxAgents, q: search }, { signal });
      return items.map(({ id, name }) => ({ id, name }));
    },
    enabled: isAllowed && search !== '',
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    if (query === '' || data === undefined) return [];
    const pages = data.map(({ id, name }) => ({
      id,
      label: name,
      icon: <AgentIcon />,
      run: () => navigate(`/agents/${id}`),
    }));
    const [first] = data;
    if (first === undefined || !canTalk) return pages;
    const talk = { id: `talk-${first.id}`, label: texts.talk(first.name), icon: <AgentIcon />, run: () => open(first) };
    return [...pages, talk];
  }, [query, data, canTalk, texts, navigate, open]);
}

/** Without case and width, as the service compares names. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
