import { Alert, Drawer, Stack, Text } from '@mantine/core';
import { useLanguage } from '../../language/language.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import type { Deed } from './code-samples.ts';
import { CodeView } from './code-view.tsx';
import { useAgentTexts } from './texts.ts';
import { createBody, defaultValues, patchBetween, Unreadable, type Values } from './values.ts';

interface CodeDrawerProps {
  /** Null for a new agent. */
  readonly target: { readonly id: string; readonly etag: string; readonly base: Values } | null;
  readonly values: Values;
  readonly onClose: () => void;
}

/** Code for the current content of the form. */
export function CodeDrawer({ target, values, onClose }: CodeDrawerProps) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  useFocusReturn(true);
  const fallback = target?.base ?? defaultValues();
  const readable = readableOf(values, fallback);
  const deed: Deed =
    target === null
      ? { kind: 'create', body: createBody(readable) }
      : { kind: 'update', id: target.id, body: patchBetween(target.base, readable), ifMatch: target.etag };
  const isNothing = deed.kind === 'update' && Object.keys(deed.body).length === 0;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      title={texts.codeOfForm}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <Stack gap="md">
        <Text c="dimmed">{target === null ? texts.codeOfFormCreate : texts.codeOfFormUpdate}</Text>
        {hasUnreadable(values) && <Alert color="orange">{texts.codeUnreadable}</Alert>}
        {isNothing ? <Alert color="gray">{texts.codeNoChanges}</Alert> : <CodeView deed={deed} />}
      </Stack>
    </Drawer>
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
