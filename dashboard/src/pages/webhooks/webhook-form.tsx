import { Alert, Checkbox, SimpleGrid, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  ApiError,
  type CreateWebhook,
  UnprocessableError,
  ValidationError,
  type Webhook,
} from '../../../../sdk/src/index.ts';
import { eventTypes } from '../../../../src/contract/webhooks/event-types.ts';
import { useTexts } from '../../language/language.tsx';
import { AgentsInput } from '../../parts/agents-input.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { formTexts } from './form-texts.ts';

/** Tests are sent to one webhook only, whatever it subscribes to. */
const subscribedTypes = eventTypes.filter((type) => type !== 'webhook_test');

interface Fields {
  readonly url: string;
  readonly events: readonly string[];
  readonly agentIds: readonly string[];
  readonly hasTranscript: boolean;
  readonly description: string;
}

interface WebhookFormProps {
  /** Null for a new one. */
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
  /** With the secret of a new one. */
  readonly onSaved: (secret: string | null) => void;
}

export function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps) {
  const texts = useTexts(formTexts);
  const [fields, setFields] = useState<Fields>(() => fieldsOf(webhook));
  const [hasTried, setHasTried] = useState(false);
  const saving = useSaving(webhook, onSaved);
  const isFull = saving.error instanceof ApiError && saving.error.code === 'LIMIT_REACHED';
  const isOfAgent = webhook?.kind === 'agent';
  const issues = isOfAgent ? {} : issuesOf(fields, texts);
  const shown = { ...(hasTried ? issues : {}), ...answerOf(saving.error) };
  const submit = () => {
    setHasTried(true);
    if (Object.keys(issues).length === 0) saving.mutate(fields);
  };
  const change = (part: Partial<Fields>) => setFields((now) => ({ ...now, ...part }));
  return (
    <ActionDialog
      size="lg"
      title={webhook === null ? texts.create : texts.edit}
      confirm={texts.save}
      isForm
      action={saving}
      explanation={isFull ? texts.limit : undefined}
      // Otherwise it is shown at its field.
      failure={Object.keys(answerOf(saving.error)).length > 0 ? null : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      {isOfAgent ? (
        <Alert color="gray">{texts.ofAgent}</Alert>
      ) : (
        <Addressing fields={fields} shown={shown} onChange={change} />
      )}
      <Checkbox
        label={texts.include}
        checked={fields.hasTranscript}
        onChange={({ currentTarget: { checked } }) => change({ hasTranscript: checked })}
      />
      <TextInput
        label={texts.description}
        value={fields.description}
        maxLength={1000}
        onChange={({ currentTarget: { value } }) => change({ description: value })}
      />
    </ActionDialog>
  );
}

interface AddressingProps {
  readonly fields: Fields;
  readonly shown: Issues;
  readonly onChange: (part: Partial<Fields>) => void;
}

/** Where to, and what: set in the agent for the webhook of an agent. */
function Addressing({ fields, shown, onChange }: AddressingProps) {
  const texts = useTexts(formTexts);
  const isAll = fields.events.includes('*');
  return (
    <>
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        placeholder="https://shop.example.com/hooks"
        type="url"
        value={fields.url}
        error={shown.url}
        maxLength={2048}
        onChange={({ currentTarget: { value } }) => onChange({ url: value.trim() })}
        data-autofocus
      />
      <Checkbox.Group
        label={texts.events}
        error={shown.events}
        value={[...fields.events]}
        onChange={(events) => onChange({ events: events.includes('*') ? ['*'] : events })}
      >
        <Checkbox value="*" label={texts.eventsAll} my={6} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing={6}>
          {subscribedTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} description={texts[type]} disabled={isAll} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <AgentsInput
        label={texts.agents}
        description={texts.agentsHint}
        placeholder={texts.agentsAll}
        agentIds={fields.agentIds}
        error={shown.agentIds}
        onChange={(agentIds) => onChange({ agentIds })}
      />
    </>
  );
}

function useSaving(webhook: Webhook | null, onSaved: (secret: string | null) => void) {
  const texts = useTexts(formTexts);
  const notice = useNotice();
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async ({ url, events, agentIds, hasTranscript, description }: Fields) => {
      const include: 'transcript'[] = hasTranscript ? ['transcript'] : [];
      const own = { include, description: description === '' ? null : description };
      const addressed = { ...own, url, events: events as CreateWebhook['events'], agentIds: [...agentIds] };
      if (webhook === null) return (await webhooks.create(addressed)).secret;
      await webhooks.update(webhook.id, webhook.kind === 'agent' ? own : addressed);
      return null;
    },
    onSuccess: (secret) => {
      queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      notice(texts.saved);
      onSaved(secret);
    },
  });
}

type Issues = { readonly [Name in 'url' | 'events' | 'agentIds']?: string };

interface IssueTexts {
  readonly urlMissing: string;
  readonly eventsMissing: string;
}

function fieldsOf(webhook: Webhook | null): Fields {
  return {
    url: webhook?.url ?? '',
    events: webhook?.events ?? ['call_ended', 'call_analyzed'],
    agentIds: webhook?.agentIds ?? [],
    hasTranscript: webhook?.include.includes('transcript') ?? false,
    description: webhook?.description ?? '',
  };
}

function issuesOf({ url, events }: Fields, texts: IssueTexts): Issues {
  return {
    ...(url === '' ? { url: texts.urlMissing } : {}),
    ...(events.length === 0 ? { events: texts.eventsMissing } : {}),
  };
}

/** The issues that only the service has found, by field. */
function answerOf(error: Error | null): Issues {
  if (!(error instanceof ValidationError) && !(error instanceof UnprocessableError)) return {};
  const entries = Object.entries(error.fieldErrors).map(([path, messages]) => [path.split('.')[0], messages.join(' ')]);
  return Object.fromEntries(entries);
}
