import { SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Agent } from '../../../../sdk/src/index.ts';
import { CodeOfForm } from './code-of-form.tsx';
import type { SampleRequest } from './code-samples.ts';
import { CodeView } from './code-view.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import type { Draft } from './use-draft.ts';
import { createBody, fullPatch, valuesOf } from './values.ts';

interface CodeProps {
  readonly stored: StoredAgent;
  /** The form, with what is not saved. */
  readonly draft: Draft;
}

/** The agent as code, and the changes of the form that are not saved yet. */
export function Code({ stored, draft }: CodeProps) {
  const texts = useAgentTexts();
  const { agent, etag } = stored;
  return (
    <Stack gap="xl">
      {draft.changed.length > 0 && (
        <section aria-labelledby="code-of-form">
          <Title order={2} size="h4" mb="xs" id="code-of-form">
            {texts.codeOfForm}
          </Title>
          <CodeOfForm target={{ id: agent.id, etag, base: draft.base }} values={draft.values} />
        </section>
      )}
      <CodeOf agent={agent} />
    </Stack>
  );
}

function CodeOf({ agent }: { readonly agent: Agent }) {
  const texts = useAgentTexts();
  const [kind, setKind] = useState<SampleRequest['kind']>('create');
  const kinds: { value: SampleRequest['kind']; label: string }[] = [
    { value: 'create', label: texts.codeCreate },
    { value: 'update', label: texts.codeUpdate },
    { value: 'get', label: texts.codeGet },
    { value: 'publish', label: texts.codePublish },
  ];
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {texts.codeHint}
      </Text>
      <div style={{ overflowX: 'auto' }}>
        <SegmentedControl
          aria-label={texts.codeWhat}
          data={kinds}
          value={kind}
          onChange={(chosen) => setKind(chosen as SampleRequest['kind'])}
        />
      </div>
      <CodeView request={requestOf(kind, agent)} />
    </Stack>
  );
}

function requestOf(kind: SampleRequest['kind'], agent: Agent): SampleRequest {
  const values = valuesOf(agent);
  if (kind === 'create') return { kind, body: createBody(values) };
  if (kind === 'update') return { kind, id: agent.id, body: fullPatch(values) };
  return { kind, id: agent.id };
}
