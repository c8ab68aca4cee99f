import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
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

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Pages, actions and agents in one search, for Ctrl+K. */
export function Palette({ isOpen, onClose }: PaletteProps) {
  const texts = useTexts(paletteTexts);
  useFocusReturn(isOpen);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="12dvh"
      padding={0}
      radius="lg"
      size={560}
      aria-label={texts.title}
      // The focus returns to where it was, unless the command goes to another page.
      returnFocus={false}
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
  // The options are always there, below the field.
  const combobox = useCombobox({ opened: true });
  const { selectFirstOption } = combobox;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first result is selected whenever they change.
  useEffect(() => {
    selectFirstOption();
  }, [commands]);
  const run = (id: string) => {
    onDone();
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={run}>
      <Combobox.EventsTarget>
        <TextInput
          role="combobox"
          aria-expanded="true"
          aria-label={texts.title}
          placeholder={texts.hint}
          value={typed}
          maxLength={maxSearch}
          onChange={(event) => setTyped(event.currentTarget.value)}
          leftSection={<SearchIcon size={18} />}
          variant="unstyled"
          size="lg"
          classNames={{ input: classes.input as string }}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={classes.options as string} aria-label={texts.results}>
        {groups.map(({ label, commands: ofGroup }) => (
          <Combobox.Group key={label} label={label}>
            {ofGroup.map(({ id, label: name, icon }) => (
              <Combobox.Option key={id} value={id} className={classes.option as string}>
                {icon}
                <span className={classes.label}>{name}</span>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {commands.length === 0 && <Combobox.Empty>{texts.nothing}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
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
      commands: commands.filter((command) => fold(command.label).includes(wanted)),
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
