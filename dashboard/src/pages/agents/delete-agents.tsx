import { Progress, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { deleteExisting } from '../../parts/delete-existing.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
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
  const { format } = useLanguage();
  const texts = useTexts(agentsTexts);
  const [typed, setTyped] = useState('');
  const { removal, done, stop } = useRemoval(agents, onClose, onDeleted);
  const [only] = agents;
  const isOne = agents.length === 1 && only !== undefined;
  const expected = isOne ? only.name.trim() : String(agents.length);
  const isConfirmed = typed.trim().normalize('NFKC') === expected.normalize('NFKC');
  const count = format.number(agents.length);
  const close = () => {
    stop();
    onClose();
  };
  return (
    <ActionDialog
      title={isOne ? texts.deleteOneTitle : texts.deleteTitle(count)}
      confirm={texts.deleteDo}
      isForm
      isDangerous
      isBarred={!isConfirmed}
      action={removal}
      onConfirm={removal.mutate}
      onClose={close}
    >
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
      {removal.error !== null && <Text size="sm">{texts.deletedSoFar(format.number(done), count)}</Text>}
    </ActionDialog>
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
        await deleteExisting(client.agents.delete(id));
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
