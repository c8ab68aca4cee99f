import { Alert, Button, Group, Progress, Radio, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Call, RedactCall } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { useAgentName } from '../../../parts/agent-name.ts';
import { deleteExisting } from '../../../parts/delete-existing.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { describeError } from '../../../parts/error-state.tsx';
import { useClient } from '../../../session/use-session.ts';
import classes from '../calls.module.css';
import { type BulkFailure, runAll } from './run-all.ts';
import { bulkTexts } from './texts.ts';

export type BulkAction = 'analyze' | 'redact' | 'delete';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly calls: readonly Call[];
  readonly onClose: () => void;
}

/** Acts on the selected calls one by one, with progress, failures by call, and a way to stop. */
export function BulkDialog({ action, calls: selected, onClose }: BulkDialogProps) {
  const { texts: shared, format } = useLanguage();
  const texts = useTexts(bulkTexts);
  // Deleted calls leave the list while it runs.
  const [calls] = useState(selected);
  const [to, setTo] = useState<RedactCall['to']>('everything_except_pii');
  const { done, failures, state, start, stop } = useBulk(calls, action, to);
  const total = format.number(calls.length);
  const isDangerous = action !== 'analyze';
  return (
    <Dialog onClose={onClose} title={texts[`${action}Title`](total)} closeOnClickOutside={state !== 'running'}>
      <Stack gap="md">
        {state === 'ready' && <Text size="sm">{texts[`${action}Text`]}</Text>}
        {state === 'ready' && action === 'redact' && <RedactChoice to={to} onChange={setTo} />}
        {state !== 'ready' && (
          <>
            <Progress value={(100 * done) / calls.length} aria-label={texts[`${action}Title`](total)} />
            <Text size="sm" role="status">
              {state === 'stopped'
                ? texts.stopped(format.number(done), total)
                : texts.progress(format.number(done), total)}
            </Text>
          </>
        )}
        {failures.length > 0 && <Failures failures={failures} />}
        <Group justify="flex-end" gap="sm">
          {state === 'running' ? (
            <Button variant="default" onClick={stop}>
              {texts.stop}
            </Button>
          ) : (
            <Button variant="default" onClick={onClose} data-autofocus={isDangerous || undefined}>
              {state === 'ready' ? shared.cancel : shared.close}
            </Button>
          )}
          {state === 'ready' && (
            <Button {...(isDangerous ? { color: 'red.8' } : {})} onClick={start}>
              {texts[`${action}Confirm`](total)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

type BulkState = 'ready' | 'running' | 'stopped' | 'finished';

function useBulk(calls: readonly Call[], action: BulkAction, to: RedactCall['to']) {
  const client = useClient();
  const queryClient = useQueryClient();
  const [done, setDone] = useState(0);
  const [failures, setFailures] = useState<readonly BulkFailure<Call>[]>([]);
  const [state, setState] = useState<BulkState>('ready');
  const abort = useRef<AbortController | null>(null);
  // A dialog that is closed stops, too.
  useEffect(() => () => abort.current?.abort(), []);

  const act = ({ id }: Call): Promise<unknown> => {
    if (action === 'delete') return deleteExisting(client.calls.delete(id));
    return action === 'redact' ? client.calls.redact(id, { to }) : client.calls.analysis.run(id);
  };
  const start = async (): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    abort.current = controller;
    setState('running');
    await runAll({
      items: calls,
      act,
      signal,
      onDone: (failure) => {
        setDone((count) => count + 1);
        if (failure !== null) setFailures((all) => [...all, failure]);
      },
    });
    setState(signal.aborted ? 'stopped' : 'finished');
    for (const { id } of calls) queryClient.removeQueries({ queryKey: ['call', id] });
    await queryClient.invalidateQueries({ queryKey: ['calls'] });
  };
  return { done, failures, state, start: () => void start(), stop: () => abort.current?.abort() };
}

interface RedactChoiceProps {
  readonly to: RedactCall['to'];
  readonly onChange: (to: RedactCall['to']) => void;
}

function RedactChoice({ to, onChange }: RedactChoiceProps) {
  const texts = useTexts(bulkTexts);
  return (
    <Radio.Group value={to} onChange={(chosen) => onChange(chosen as RedactCall['to'])} aria-label={texts.keep}>
      <Stack gap="sm">
        <Radio value="everything_except_pii" label={texts.keepRest} description={texts.keepRestText} />
        <Radio value="basic_attributes_only" label={texts.keepBasic} description={texts.keepBasicText} />
      </Stack>
    </Radio.Group>
  );
}

const maxShown = 50;

function Failures({ failures }: { readonly failures: readonly BulkFailure<Call>[] }) {
  const { format } = useLanguage();
  const texts = useTexts(bulkTexts);
  return (
    <Alert color="red" role="alert" title={texts.failed(format.number(failures.length))}>
      <ul className={classes.failures}>
        {failures.slice(0, maxShown).map(({ item, error }) => (
          <FailedCall key={item.id} call={item} error={error} />
        ))}
      </ul>
    </Alert>
  );
}

function FailedCall({ call, error }: { readonly call: Call; readonly error: Error }) {
  const { texts, format } = useLanguage();
  const name = useAgentName(call.agentId) ?? call.agentId ?? '—';
  const { title, advice } = describeError(error, texts);
  return (
    <li>
      <a href={`/calls/${call.id}`} target="_blank" rel="noreferrer">
        {name}, {format.dateTime(call.createdAt)}
      </a>
      : {advice ?? title}
    </li>
  );
}
