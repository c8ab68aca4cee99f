import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useClient, useScope } from '../session/use-session.ts';
import { useTrial, useTrialCall } from '../try/try-context.ts';
import type { Flow } from './flow.ts';

/** The position of the step at which the call in the panel is, if it is with this agent. */
export function useActive(agentId: string, flow: Flow): number | null {
  const client = useClient();
  const trial = useTrial();
  const call = useTrialCall();
  const { isAllowed } = useScope('calls:read');
  const isShown = isAllowed && call !== null && trial.agent?.id === agentId;
  const { data } = useQuery({
    queryKey: ['call-skill', call?.id, call?.turns],
    enabled: isShown,
    queryFn: ({ signal }) => client.calls.skill.get(call?.id ?? '', { signal }),
    placeholderData: keepPreviousData,
    // A spoken call is stored a little after its words are shown.
    refetchInterval: call?.isSpoken ? 1000 : false,
  });
  const position = isShown ? flow.skills.findIndex(({ id }) => id === data?.skillId) : -1;
  return position === -1 ? null : position;
}
