import { Alert, Stack, Text } from '@mantine/core';
import type { SampleRequest } from './code-samples.ts';
import { CodeView } from './code-view.tsx';
import { useAgentTexts } from './texts.ts';
import { createBody, defaultValues, patchBetween, Unreadable, type Values } from './values.ts';

interface CodeOfFormProps {
  /** Null for a new agent. */
  readonly target: { readonly id: string; readonly etag: string; readonly base: Values } | null;
  readonly values: Values;
}

/** Code for the current content of the form. */
export function CodeOfForm({ target, values }: CodeOfFormProps) {
  const texts = useAgentTexts();
  const fallback = target?.base ?? defaultValues();
  const readable = readableOf(values, fallback);
  const request: SampleRequest =
    target === null
      ? { kind: 'create', body: createBody(readable) }
      : { kind: 'update', id: target.id, body: patchBetween(target.base, readable), ifMatch: target.etag };
  const isNothing = request.kind === 'update' && Object.keys(request.body).length === 0;
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {target === null ? texts.codeOfFormCreate : texts.codeOfFormUpdate}
      </Text>
      {hasUnreadable(values) && <Alert color="orange">{texts.codeUnreadable}</Alert>}
      {isNothing ? <Alert color="gray">{texts.codeNoChanges}</Alert> : <CodeView request={request} />}
    </Stack>
  );
}

function hasUnreadable(value: unknown): boolean {
  if (value instanceof Unreadable) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnreadable);
}

function readableOf(values: Values, fallback: Values): Values {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    hasUnreadable(value) ? fallback[name as keyof Values] : value,
  ]);
  return Object.fromEntries(entries);
}
