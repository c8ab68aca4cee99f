import { Alert, NativeSelect, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookTestResult } from '../../../../sdk/src/index.ts';
import { type EventType, eventTypes } from '../../../../src/contract/webhooks/event-types.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { Scrollable } from '../../parts/scrollable.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { webhookNames, webhookTexts } from './webhook-texts.ts';
import classes from './webhooks.module.css';

/** Sends an example, and shows what the receiver answered. */
export function TestDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const texts = useTexts(webhookTexts);
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  const [type, setType] = useState<EventType>('webhook_test');
  const [result, setResult] = useState<WebhookTestResult | null>(null);
  const testing = useSingleMutation({
    mutationFn: async () => await webhooks.test(webhook.id, { type }),
    onSuccess: (tested) => {
      setResult(tested);
      queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <ActionDialog
      title={texts.sendTest}
      confirm={texts.sendTest}
      action={testing}
      onConfirm={testing.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.sendTestText}</Text>
      <p className={classes.address}>{webhook.url}</p>
      <NativeSelect
        label={texts.testType}
        data={[...eventTypes]}
        value={type}
        onChange={({ currentTarget: { value } }) => setType(eventTypes.find((name) => name === value) ?? type)}
        data-autofocus
      />
      {result !== null && <Result result={result} />}
    </ActionDialog>
  );
}

function Result({ result }: { readonly result: WebhookTestResult }) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const names = useTexts(webhookNames);
  const { outcome, statusCode, durationMs, responseBody } = result;
  const isGood = outcome === 'succeeded';
  return (
    <Alert color={isGood ? 'accent' : 'red'} role="status" title={isGood ? names.succeeded : texts.testFailed}>
      {statusCode === null ? names[outcome] : texts.testOk(String(statusCode), format.milliseconds(durationMs))}
      {responseBody !== null && (
        <Scrollable label={texts.responseBody} className={classes.body}>
          {responseBody}
        </Scrollable>
      )}
    </Alert>
  );
}
