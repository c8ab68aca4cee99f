import { Alert, Button, Group, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { NotFoundError } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import type { AgentRow } from './agent-list.ts';
import { agentsTexts } from './texts.ts';

const maxNames = 5;

interface DeleteAgentsProps {
  readonly agents: readonly AgentRow[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Requires typing the name of one agent, or the number of several, because deleting cannot be undone. */
export function DeleteAgents({ agents, onClose, onDeleted }: DeleteAgentsProps) {
  const { texts: shared, format } = useLanguage();
  const texts = useTexts(agentsTexts);
  const [typed, setTyped] = useState('');
  const { removal, done, stop } = useRemoval(agents, onClose, onDeleted);
  useFocusReturn(true);
  const [only] = agents;
  const isOne = agents.length === 1 && only !== undefined;
  const expected = isOne ? only.name.trim() : String(agents.length);
  const isConfirmed = typed.trim().normalize('NFKC') === expected.normalize('NFKC');
  const count = format.number(agents.length);
  const close = () => {
    stop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isConfirmed) removal.mutate();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={isOne ? texts.deleteOneTitle : texts.deleteTitle(count)}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{isOne ? texts.deleteOneText : texts.deleteText}</Text>
          {!isOne && <Names agents={agents} />}
          <TextInput
            label={isOne ? texts.typeName : texts.typeCount(expected)}
            description={isOne ? expected : undefined}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          {removal.isPending && !isOne && (
            <Progress value={(done / agents.length) * 100} aria-label={texts.deleting(format.number(done), count)} />
          )}
          {removal.error !== null && (
            <Alert color="red" role="alert" title={describeError(removal.error, shared).title}>
              {texts.deletedSoFar(format.number(done), count)} {describeError(removal.error, shared).advice}
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {shared.cancel}
            </Button>
            <BusyButton type="submit" color="red.8" isBarred={!isConfirmed} isBusy={removal.isPending}>
              {texts.deleteDo}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Names({ agents }: Pick<DeleteAgentsProps, 'agents'>) {
  const { format } = useLanguage();
  const texts = useTexts(agentsTexts);
  const more = agents.length - maxNames;
  return (
    <Text component="ul" size="sm" m={0} ps="lg">
      {agents.slice(0, maxNames).map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {more > 0 && <li>{texts.andMore(format.number(more))}</li>}
    </Text>
  );
}

/** One after the other; closing the dialog stops before the next one. */
function useRemoval(agents: readonly AgentRow[], onClose: () => void, onDeleted: () => void) {
  const { format } = useLanguage();
  const texts = useTexts(agentsTexts);
  const notice = useNotice();
  const client = useClient();
  const queryClient = useQueryClient();
  const [done, setDone] = useState(0);
  const isStopped = useRef(false);
  const refresh = () => {
    queryClient.resetQueries({ queryKey: ['agents', 'list'] });
    queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'whoami' && first !== 'agents' });
  };
  const removal = useSingleMutation({
    mutationFn: async () => {
      // What an earlier attempt has deleted is left out.
      for (const [index, { id }] of agents.entries()) {
        if (index < done) continue;
        if (isStopped.current) return index;
        try {
          await client.agents.delete(id);
        } catch (error) {
          // Already deleted by someone else, which is fine.
          if (!(error instanceof NotFoundError)) throw error;
        }
        setDone(index + 1);
      }
      return agents.length;
    },
    onSuccess: (count) => {
      notice(count === 1 ? texts.deletedOne : texts.deleted(format.number(count)), 'plain');
      onDeleted();
      onClose();
      refresh();
    },
    onError: refresh,
  });
  const stop = () => {
    isStopped.current = true;
  };
  return { removal, done, stop };
}
