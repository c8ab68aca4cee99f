import { Checkbox, Switch, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../../language/language.tsx';
import { useFoundAgents } from '../../../parts/found-agents.ts';
import { AgentChoice } from '../../../phone/agent-choice.tsx';
import { phoneTexts } from '../../../phone/texts.ts';
import { importTexts, routingTexts } from '../texts.ts';
import { StepButtons, StepForm } from './step-buttons.tsx';

export interface Routing {
  readonly agentId: string | null;
  readonly isOutbound: boolean;
  /** Whether the number is set up at the carrier. */
  readonly isConfigured: boolean;
}

interface RoutingStepProps {
  readonly isTwilio: boolean;
  readonly agentIssue: string | undefined;
  readonly failure: ReactNode;
  readonly isBusy: boolean;
  readonly onBack: () => void;
  readonly onDone: (routing: Routing) => void;
}

export function RoutingStep({ isTwilio, agentIssue, failure, isBusy, onBack, onDone }: RoutingStepProps) {
  const texts = useTexts(importTexts);
  const routing = useTexts(routingTexts);
  const { responsible } = useTexts(phoneTexts);
  const agents = useFoundAgents('');
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  // If there is only one agent, it is the one.
  const only = agents.length === 1 ? (agents[0]?.value ?? null) : null;
  const agentId = chosen === undefined ? only : chosen;
  const [isOutbound, setIsOutbound] = useState(false);
  const [isConfigured, setIsConfigured] = useState(true);
  const submit = () => {
    if (!isBusy) onDone({ agentId, isOutbound, isConfigured });
  };
  return (
    <StepForm onSubmit={submit}>
      <AgentChoice
        label={routing.agent}
        description={routing.agentHint}
        agentId={agentId}
        error={agentIssue}
        onChange={setChosen}
      />
      <Switch
        label={routing.outboundEnabled}
        description={routing.outboundHint}
        checked={isOutbound}
        onChange={({ currentTarget: { checked } }) => setIsOutbound(checked)}
      />
      {isOutbound && (
        <Text size="xs" c="dimmed">
          {responsible}
        </Text>
      )}
      {isTwilio && (
        <Checkbox
          label={texts.configure}
          description={texts.configureHint}
          checked={isConfigured}
          onChange={({ currentTarget: { checked } }) => setIsConfigured(checked)}
        />
      )}
      {failure}
      <StepButtons next={texts.finish} isBusy={isBusy} onBack={onBack} />
    </StepForm>
  );
}
