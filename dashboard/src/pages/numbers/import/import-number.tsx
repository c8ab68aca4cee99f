import { Stack, Stepper } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, type Carrier, type ImportPhoneNumber } from '../../../../../sdk/src/index.ts';
import { useTexts } from '../../../language/language.tsx';
import { Dialog, Failure } from '../../../parts/dialog.tsx';
import { useNotice } from '../../../parts/notice.ts';
import { useSingleMutation } from '../../../parts/single-mutation.ts';
import { issueIn, serviceIssues } from '../../../phone/service-issues.ts';
import { useClient } from '../../../session/use-session.ts';
import { importTexts } from '../texts.ts';
import { CarrierStep } from './carrier-step.tsx';
import { type ChosenNumber, NumberStep } from './number-step.tsx';
import { type Routing, RoutingStep } from './routing-step.tsx';

const paths = ['number', 'name', 'inbound.agentId'];

/** Imports a number in three steps: the carrier, the number, and who answers. */
export function ImportNumber({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts(importTexts);
  const [step, setStep] = useState(0);
  const [carrier, setCarrier] = useState<Carrier | null>(null);
  const [chosen, setChosen] = useState<ChosenNumber | null>(null);
  const importing = useImport(onClose, () => setStep(1));
  const found = serviceIssues(importing.error);
  const finish = (routing: Routing) => {
    if (carrier !== null && chosen !== null) importing.mutate(bodyOf(carrier, chosen, routing));
  };
  const isFull = importing.error instanceof ApiError && importing.error.code === 'LIMIT_REACHED';
  const isElsewhere = Object.keys(found).some((path) => !paths.includes(path)) || Object.keys(found).length === 0;
  return (
    <Dialog onClose={onClose} title={texts.title} size="lg">
      <Stack gap="md">
        <Stepper active={step} onStepClick={setStep} size="xs" iconSize={28}>
          <Stepper.Step label={texts.stepCarrier} allowStepSelect={step > 0} />
          <Stepper.Step label={texts.stepNumber} allowStepSelect={step > 1} />
          <Stepper.Step label={texts.stepRouting} allowStepSelect={false} />
        </Stepper>
        {step === 0 && (
          <CarrierStep
            carrier={carrier}
            onCancel={onClose}
            onDone={(next) => {
              if (next.id !== carrier?.id) setChosen(null);
              setCarrier(next);
              setStep(1);
            }}
          />
        )}
        {step === 1 && carrier !== null && (
          <NumberStep
            carrier={carrier}
            chosen={chosen}
            issue={issueIn(found, 'number')}
            onBack={() => setStep(0)}
            onDone={(next) => {
              setChosen(next);
              importing.reset();
              setStep(2);
            }}
          />
        )}
        {step === 2 && carrier !== null && (
          <RoutingStep
            isTwilio={carrier.provider === 'twilio'}
            agentIssue={issueIn(found, 'inbound.agentId')}
            failure={
              isElsewhere && importing.error !== null ? (
                <Failure error={importing.error} explanation={isFull ? texts.limit : undefined} />
              ) : null
            }
            isBusy={importing.isPending}
            onBack={() => setStep(1)}
            onDone={finish}
          />
        )}
      </Stack>
    </Dialog>
  );
}

function useImport(onDone: () => void, onWrongNumber: () => void) {
  const texts = useTexts(importTexts);
  const notice = useNotice();
  const { phoneNumbers } = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useSingleMutation({
    mutationFn: async (body: ImportPhoneNumber) => await phoneNumbers.import(body),
    onSuccess: (number) => {
      queryClient.setQueryData(['phone', 'number', number.id], number);
      queryClient.invalidateQueries({ queryKey: ['phone'] });
      notice(texts.done);
      onDone();
      navigate(`/numbers/${number.id}`);
    },
    onError: (error) => {
      if (issueIn(serviceIssues(error), 'number') !== undefined) onWrongNumber();
    },
  });
}

function bodyOf(carrier: Carrier, { number, name }: ChosenNumber, routing: Routing): ImportPhoneNumber {
  return {
    carrierId: carrier.id,
    number,
    ...(name.trim() !== '' && { name: name.trim() }),
    inbound: { agentId: routing.agentId },
    outbound: { enabled: routing.isOutbound },
    configureCarrier: routing.isConfigured,
  };
}
