import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Call, TestWorkflow, WorkflowTest } from '../../../../../sdk/src/index.ts';
import { useClient } from '../../../session/use-session.ts';
import { requestOf, type WorkflowValues } from '../../../workflows/definition.ts';

/** What a request is answered with in the test. */
export interface Mock {
  readonly statusCode: number;
  readonly body?: unknown;
}

export type Mocks = Readonly<Record<string, Mock>>;

/** Tests what is in the form: nothing is sent or stored. */
export function useTest(values: WorkflowValues, call: Call | null, mocks: Mocks) {
  const { workflows } = useClient();
  const { trigger, steps } = requestOf(values);
  const known = Object.fromEntries(Object.entries(mocks).filter(([id]) => values.steps.some((step) => step.id === id)));
  const body = { callId: call?.id ?? '', definition: { trigger, steps }, mocks: known } as unknown as TestWorkflow;
  return useQuery<WorkflowTest>({
    queryKey: ['workflows', 'test', body],
    queryFn: ({ signal }) => workflows.test(body, { signal }),
    enabled: call !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
}
