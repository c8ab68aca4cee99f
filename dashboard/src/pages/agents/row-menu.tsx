import { Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { AuditIcon, CopyIcon, MicrophoneIcon, TrashIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { useTrial } from '../../try/try-context.ts';
import type { AgentRow } from './agent-list.ts';
import classes from './agents.module.css';
import { agentsTexts } from './texts.ts';

export interface RowMenuPlace {
  readonly row: AgentRow;
  /** Its button, which the menu is next to. */
  readonly button: HTMLElement;
}

interface RowMenuProps {
  readonly place: RowMenuPlace;
  readonly onClose: () => void;
  readonly onDelete: (row: AgentRow) => void;
}

/** The actions of one agent. There is one menu for the table, because a menu in every row would slow it down. */
export function RowMenu({ place: { row, button }, onClose, onDelete }: RowMenuProps) {
  const texts = useTexts(agentsTexts);
  const { open } = useTrial();
  const [, navigate] = useLocation();
  const talk = useScope('calls:write');
  const write = useScope('agents:write');
  const audit = useScope('audit:read');
  const duplicate = useDuplicate();
  const close = () => {
    onClose();
    button.focus({ preventScroll: true });
  };
  useCloseOnScroll(onClose);
  const { top, left, width, height } = button.getBoundingClientRect();
  const items = [
    {
      label: texts.talk,
      icon: <MicrophoneIcon size={16} />,
      scope: talk,
      run: () => open({ id: row.id, name: row.name }),
    },
    { label: texts.duplicate, icon: <CopyIcon size={16} />, scope: write, run: () => duplicate(row) },
    {
      label: texts.history,
      icon: <AuditIcon size={16} />,
      scope: audit,
      run: () => navigate(`/audit?resourceId=${row.id}`),
    },
    {
      label: texts.delete,
      icon: <TrashIcon size={16} />,
      scope: write,
      run: () => onDelete(row),
      color: 'var(--app-bad)',
    },
  ];
  return (
    <Menu
      opened
      onChange={close}
      position="bottom-end"
      width={220}
      withInitialFocusPlaceholder={false}
      returnFocus={false}
    >
      <Menu.Target>
        <span className={classes.menuTarget} style={{ top, left, width, height }}>
          {texts.actionsOf(row.name)}
        </span>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label, icon, scope: { isAllowed, reason }, run, color }) => (
          <Menu.Item
            key={label}
            leftSection={icon}
            {...(isAllowed && color !== undefined && { color })}
            disabled={!isAllowed}
            title={reason ?? undefined}
            onClick={() => {
              close();
              run();
            }}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The menu would stay behind while its row moves. */
function useCloseOnScroll(onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const listen = () => close.current();
    addEventListener('scroll', listen, { capture: true });
    return () => removeEventListener('scroll', listen, { capture: true });
  }, []);
}

function useDuplicate(): (row: AgentRow) => void {
  const { texts: shared } = useLanguage();
  const texts = useTexts(agentsTexts);
  const notice = useNotice();
  const client = useClient();
  const queryClient = useQueryClient();
  const duplicate = useSingleMutation({
    mutationFn: ({ id, name }: AgentRow) => client.agents.duplicate(id, { name: texts.copyOf(name).slice(0, 255) }),
    onSuccess: ({ name }) => {
      notice(texts.duplicated(name));
      queryClient.resetQueries({ queryKey: ['agents', 'list'] });
    },
    onError: (error) => notice(describeError(error, shared).title, 'bad'),
  });
  return duplicate.mutate;
}
