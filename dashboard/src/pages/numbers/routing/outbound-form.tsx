import { Alert, NumberInput, Switch } from '@mantine/core';
import { useState } from 'react';
import type { PhoneNumber } from '../../../../../sdk/src/index.ts';
import { useTexts } from '../../../language/language.tsx';
import { AgentsInput } from '../../../parts/agents-input.tsx';
import { ActionDialog } from '../../../parts/dialog.tsx';
import { hasOnlyIssuesOf, issueIn, serviceIssues } from '../../../phone/service-issues.ts';
import { phoneTexts } from '../../../phone/texts.ts';
import { numbersTexts, routingTexts } from '../texts.ts';
import { useSaving } from './use-saving.ts';

interface OutboundFormProps {
  readonly number: PhoneNumber;
  readonly onClose: () => void;
}

/** Whether, and by which agents, calls can be made from a number. */
export function OutboundForm({ number, onClose }: OutboundFormProps) {
  const texts = useTexts(routingTexts);
  const { anyAgent } = useTexts(numbersTexts);
  const { save, responsible } = useTexts(phoneTexts);
  const [isEnabled, setIsEnabled] = useState(number.outbound.enabled);
  const [agentIds, setAgentIds] = useState<readonly string[]>(number.outbound.agentIds);
  const [seconds, setSeconds] = useState<number | ''>(number.outbound.ringTimeoutMs / 1000);
  const saving = useSaving(number, onClose);
  const found = serviceIssues(saving.error);
  const isWrong = seconds === '' || seconds < 5 || seconds > 120;
  const submit = () => {
    if (isWrong) return;
    const ringTimeoutMs = Math.round(seconds * 1000);
    saving.mutate({ outbound: { enabled: isEnabled, agentIds: [...agentIds], ringTimeoutMs } });
  };
  return (
    <ActionDialog
      size="lg"
      title={texts.editOutbound}
      confirm={save}
      isForm
      action={saving}
      failure={hasOnlyIssuesOf(saving.error, ['outbound.agentIds', 'outbound.ringTimeoutMs']) ? null : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      <Switch
        label={texts.outboundEnabled}
        description={texts.outboundHint}
        checked={isEnabled}
        onChange={({ currentTarget: { checked } }) => setIsEnabled(checked)}
        data-autofocus
      />
      {isEnabled && (
        <>
          <Alert color="orange">{responsible}</Alert>
          <AgentsInput
            label={texts.outboundAgents}
            description={texts.outboundAgentsHint}
            placeholder={anyAgent}
            agentIds={agentIds}
            error={issueIn(found, 'outbound.agentIds')}
            onChange={setAgentIds}
          />
          <NumberInput
            label={texts.rings}
            value={seconds}
            error={isWrong ? texts.ringsWrong : issueIn(found, 'outbound.ringTimeoutMs')}
            min={5}
            max={120}
            clampBehavior="none"
            allowNegative={false}
            onChange={(value) => setSeconds(typeof value === 'number' ? value : '')}
          />
        </>
      )}
    </ActionDialog>
  );
}
