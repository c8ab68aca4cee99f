import { Alert } from '@mantine/core';
import { UnprocessableError, ValidationError } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useAgentTexts } from '../../pages/agent/texts.ts';
import { describeError } from '../../parts/error-state.tsx';
import { findingsOf } from '../../parts/field-errors.ts';
import { findingsOfCheck } from '../findings.ts';
import type { Flow } from '../flow.ts';
import { ProblemList } from '../problem-list.tsx';
import classes from './simulate.module.css';
import { simulateTexts } from './texts.ts';

interface RefusalProps {
  readonly error: Error;
  readonly flow: Flow;
  readonly onGo: (position: number, path: string) => void;
}

/** Problems of the flow by name, and those of the script by its lines. */
export function Refusal({ error, flow, onGo }: RefusalProps) {
  const texts = useTexts(simulateTexts);
  const { texts: shared } = useLanguage();
  const { saidByService } = useAgentTexts();
  const isExplained = error instanceof UnprocessableError || error instanceof ValidationError;
  const findings = isExplained ? findingsOf(error.fieldErrors) : [];
  const ofFlow = findingsOfCheck({ errors: [...findings], warnings: [] });
  const others = findings.filter(({ field, path }) => !(field === 'agentSettings' && /^flow\.skills\.\d/.test(path)));
  return (
    <Alert color="red" variant="light" role="alert" title={texts.refused} py="xs">
      {!isExplained && describeError(error, shared).title}
      <ProblemList flow={flow} findings={ofFlow} onGo={onGo} />
      {others.length > 0 && (
        <ul className={classes.issues}>
          {others.map(({ field, path, message }) => {
            const step = /^steps\.(\d+)$/.exec(path)?.[1];
            const place = field === 'script' && step !== undefined ? texts.step(Number(step) + 1) : path || field;
            return (
              <li key={`${field} ${path} ${message}`}>
                {place}
                {shared.colon}
                {saidByService(message)}
              </li>
            );
          })}
        </ul>
      )}
    </Alert>
  );
}
