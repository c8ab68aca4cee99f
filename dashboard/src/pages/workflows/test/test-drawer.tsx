import { Drawer, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Call, WorkflowTest } from '../../../../../sdk/src/index.ts';
import { UnprocessableError, ValidationError } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { Dot } from '../../../parts/dot.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { useFocusReturn } from '../../../parts/focus-return.ts';
import link from '../../../parts/link.module.css';
import { RowSkeletons } from '../../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../../parts/scope-guard.tsx';
import { CallChoice } from '../../../workflows/call-choice.tsx';
import type { WorkflowValues } from '../../../workflows/definition.ts';
import { type Finding, findingsOfService } from '../../../workflows/findings.ts';
import { FindingsAlert } from '../findings-alert.tsx';
import classes from './test.module.css';
import { TestedFilter } from './tested-filter.tsx';
import { TestedSteps } from './tested-steps.tsx';
import { testTexts } from './texts.ts';
import { type Mocks, useTest } from './use-test.ts';

interface TestDrawerProps {
  /** As they are in the form: nothing has to be saved. */
  readonly values: WorkflowValues;
  readonly call: Call | null;
  readonly onCall: (call: Call | null) => void;
  /** The steps that the run would come to. */
  readonly onReached: (ids: ReadonlySet<string>) => void;
  readonly onGo: (finding: Finding) => void;
  readonly onClose: () => void;
}

/** What the workflow would do after a call: why it would start or not, and what each step would send. */
export function TestDrawer(props: TestDrawerProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(testTexts);
  useFocusReturn(true);
  return (
    <Drawer
      opened
      onClose={props.onClose}
      position="right"
      size="xl"
      title={texts.title}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <ScopeGuard scope="workflows:write">
        <Content {...props} />
      </ScopeGuard>
    </Drawer>
  );
}

function Content({ values, call, onCall, onReached, onGo }: TestDrawerProps) {
  const texts = useTexts(testTexts);
  const [mocks, setMocks] = useState<Mocks>({});
  const { data, error, refetch } = useTest(values, call, mocks);
  const isRefused = error instanceof ValidationError || error instanceof UnprocessableError;
  const findings = isRefused ? findingsOfService(error.fieldErrors) : [];
  const ofCall = findings.find(({ path }) => path === 'callId');
  useEffect(() => {
    if (data !== undefined) onReached(new Set(data.steps.filter(({ reached }) => reached).map(({ id }) => id)));
  }, [data, onReached]);
  return (
    <Stack gap="lg">
      <div>
        <CallChoice label={texts.call} call={call} error={ofCall?.message} onChange={onCall} />
        <Text size="xs" c="dimmed" mt={4}>
          {texts.nothingSent}
          {call !== null && (
            <>
              {' '}
              <Link href={`/calls/${call.id}`} target="_blank" className={link.inText as string}>
                {texts.openCall}
              </Link>
            </>
          )}
        </Text>
      </div>
      {call === null && <Text size="sm">{texts.noCall}</Text>}
      {findings.length > 0 && ofCall === undefined && (
        <FindingsAlert findings={findings} steps={values.steps} onGo={onGo} />
      )}
      {error !== null && findings.length === 0 && <ErrorState error={error} onRetry={refetch} />}
      {call !== null && data === undefined && error === null && <RowSkeletons />}
      {data !== undefined && error === null && <Result values={values} test={data} mocks={mocks} onMocks={setMocks} />}
    </Stack>
  );
}

interface ResultProps {
  readonly values: WorkflowValues;
  readonly test: WorkflowTest;
  readonly mocks: Mocks;
  readonly onMocks: (mocks: Mocks) => void;
}

function Result({ values, test, mocks, onMocks }: ResultProps) {
  const texts = useTexts(testTexts);
  return (
    <>
      <section aria-label={texts.start}>
        <div role="status">
          <h3 className={classes.heading}>
            <Dot tone={test.matched ? 'good' : 'bad'}>{test.matched ? texts.matched : texts.notMatched}</Dot>
          </h3>
        </div>
        <TestedFilter conditions={test.filter} />
      </section>
      <section aria-label={texts.steps}>
        <h3 className={classes.heading}>
          <Dot tone={test.end === 'succeeded' ? 'good' : 'bad'}>
            {test.end === 'succeeded' ? texts.endSucceeded : texts.endFailed}
          </Dot>
        </h3>
        {!test.matched && (
          <Text size="xs" c="dimmed" mb="xs">
            {texts.asIfStarted}
          </Text>
        )}
        <TestedSteps steps={values.steps} tested={test.steps} mocks={mocks} onMocks={onMocks} />
      </section>
    </>
  );
}
