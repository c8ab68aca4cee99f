import { Button, Tooltip, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LockIcon } from '../../icons.tsx';
import { Dot } from '../../parts/dot.tsx';
import { useScope } from '../../session/use-session.ts';
import classes from './agent-page.module.css';
import { countOf } from './findings.ts';
import { PublishDialog } from './publish-dialog.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import { useAgentCheck } from './use-agent-check.ts';

/** Publishing, from two places: a button, and the number of problems of a draft. */
export function usePublishing(stored: StoredAgent, hasUnsaved: boolean, onGo: (path: string) => void) {
  const texts = useAgentTexts();
  const queryClient = useQueryClient();
  const { reason: lacking } = useScope('agents:write');
  const [isOpen, setIsOpen] = useState(false);
  const check = useAgentCheck(stored);
  const { id, isPublished } = stored.agent;
  const reason = lacking ?? (isPublished ? texts.alreadyPublished : hasUnsaved ? texts.saveFirst : null);
  const open = () => {
    setIsOpen(true);
    // The agent and its check, which someone may have fixed in the meantime.
    queryClient.invalidateQueries({ queryKey: ['agent', id] });
  };
  return {
    check,
    button: <PublishButton reason={reason} onPress={open} />,
    problems: <Problems count={countOf(check.result?.errors ?? [])} hasUnsaved={hasUnsaved} onPress={open} />,
    dialog: isOpen && (
      <PublishDialog
        stored={stored}
        check={check}
        hasUnsaved={hasUnsaved}
        reason={reason}
        onGo={(path) => {
          setIsOpen(false);
          onGo(path);
        }}
        onClose={() => setIsOpen(false)}
      />
    ),
  };
}

/** If disabled, it says why. */
function PublishButton({ reason, onPress }: { readonly reason: string | null; readonly onPress: () => void }) {
  const texts = useAgentTexts();
  const { isAllowed } = useScope('agents:write');
  const isBarred = reason !== null;
  return (
    // One button for both states, so that it keeps the focus after it is pressed.
    <Tooltip label={reason} disabled={!isBarred}>
      <Button
        variant="default"
        leftSection={isAllowed ? undefined : <LockIcon size={16} />}
        data-disabled={isBarred}
        aria-disabled={isBarred || undefined}
        onClick={() => !isBarred && onPress()}
      >
        {texts.publish}
        {isBarred && <span className="visually-hidden">: {reason}</span>}
      </Button>
    </Tooltip>
  );
}

interface ProblemsProps {
  readonly count: string;
  readonly hasUnsaved: boolean;
  readonly onPress: () => void;
}

/** Opens the list of the problems. */
function Problems({ count, hasUnsaved, onPress }: ProblemsProps) {
  const texts = useAgentTexts();
  if (count === '0') return null;
  return (
    <UnstyledButton className={classes.problems as string} onClick={onPress} aria-haspopup="dialog">
      <Dot tone="bad">{hasUnsaved ? texts.problemsInSaved(count) : texts.problems(count)}</Dot>
    </UnstyledButton>
  );
}
