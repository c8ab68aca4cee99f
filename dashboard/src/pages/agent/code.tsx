import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Agent } from '../../../../sdk/src/index.ts';
import { AgentHeader } from './agent-header.tsx';
import { AgentLoader } from './agent-loader.tsx';
import type { Deed } from './code-samples.ts';
import { CodeView } from './code-view.tsx';
import { useAgentTexts } from './texts.ts';
import { createBody, fullPatch, valuesOf } from './values.ts';

export function Code({ id }: { readonly id: string }) {
  return (
    <AgentLoader id={id}>
      {(stored) => (
        <>
          <AgentHeader stored={stored} view="code" />
          <CodeOf agent={stored.agent} />
        </>
      )}
    </AgentLoader>
  );
}

function CodeOf({ agent }: { readonly agent: Agent }) {
  const texts = useAgentTexts();
  const [kind, setKind] = useState<Deed['kind']>('create');
  const kinds: { value: Deed['kind']; label: string }[] = [
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
          onChange={(chosen) => setKind(chosen as Deed['kind'])}
        />
      </div>
      <CodeView deed={deedOf(kind, agent)} />
    </Stack>
  );
}

function deedOf(kind: Deed['kind'], agent: Agent): Deed {
  const values = valuesOf(agent);
  if (kind === 'create') return { kind, body: createBody(values) };
  if (kind === 'update') return { kind, id: agent.id, body: fullPatch(values) };
  return { kind, id: agent.id };
}
