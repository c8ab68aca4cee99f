import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { UnprocessableError } from '../../../sdk/src/index.ts';
import { placeOf } from '../pages/agent/fields.ts';
import { FindingList } from '../pages/agent/finding-list.tsx';
import { hrefOf, placeAt } from '../pages/agent/tabs.ts';
import { findingsOf } from '../parts/field-errors.ts';
import { useIsCovering } from '../parts/narrow.ts';
import { useClient } from '../session/use-session.ts';
import { useTrial } from './try-context.ts';
import type { TriedVersion } from './use-chat.ts';

interface RefusedVersionProps {
  readonly agentId: string;
  readonly version: TriedVersion;
  readonly error: UnprocessableError;
  /** Before a place is shown. */
  readonly onLeave?: () => void;
}

/** What prevents a call, in the words of the editor. */
export function RefusedVersion({ agentId, version, error, onLeave }: RefusedVersionProps) {
  const client = useClient();
  const { close } = useTrial();
  const isCovering = useIsCovering();
  const [, navigate] = useLocation();
  // As it was refused: the steps are counted in it.
  const { data: agent, isPending } = useQuery({
    queryKey: ['agent-refused', agentId, version],
    queryFn: ({ signal }) => client.agents.versions.get(agentId, version, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (isPending) return <Loader size="xs" />;
  const go = (path: string): void => {
    onLeave?.();
    if (isCovering) close();
    // A state of its own, so that an editor that is open already goes there again.
    navigate(`${hrefOf(agentId, placeAt(path))}#${placeOf(encodeURIComponent(path))}`, { state: { path } });
  };
  const findings = [
    ...findingsOf(error.fieldErrors),
    ...error.formErrors.map((message) => ({ field: '', path: '', message })),
  ];
  return (
    <FindingList
      // Without the scope to read agents, steps and tools have no names.
      agent={{ id: agentId, agentSettings: agent?.agentSettings ?? {} }}
      findings={findings}
      // The form has the latest version only.
      onGo={version === 'latest' ? go : null}
    />
  );
}
