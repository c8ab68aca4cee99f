import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useScope, useSession } from '../../session/use-session.ts';
import type { TriedAgent } from '../../try/try-context.ts';
import { useSomeWebhooks } from './use-overview.ts';

export type StepName = 'agent' | 'talk' | 'model' | 'webhook';

export interface Step {
  readonly name: StepName;
  readonly isDone: boolean;
}

interface Shown {
  readonly state: 'shown';
  readonly steps: readonly Step[];
  /** The newest agent. */
  readonly agent: TriedAgent | null;
  readonly hasCalls: boolean;
  readonly dismiss: () => void;
}

export type FirstRunState = { readonly state: 'loading' | 'hidden' } | Shown;

/** What there is to do in a new workspace, until it is done or dismissed. That is remembered in the browser. */
export function useFirstRun(): FirstRunState {
  const { whoami } = useSession();
  const { isAllowed } = useScope('agents:write');
  const storageName = `voice-agents-first-run-${whoami.workspaceId}`;
  const [isOver, setIsOver] = useState(() => localStorage.getItem(storageName) !== null);
  const { steps, agent, hasCalls, isPending } = useSteps(isAllowed && !isOver);
  const isDone = !isPending && steps.length > 0 && steps.every((step) => step.isDone);
  // What is done stays done: the next visit need not ask.
  useEffect(() => {
    if (isDone) localStorage.setItem(storageName, 'done');
  }, [isDone, storageName]);
  if (!isAllowed || isOver || isDone) return { state: 'hidden' };
  if (isPending) return { state: 'loading' };
  if (steps.length === 0) return { state: 'hidden' };
  const dismiss = () => {
    localStorage.setItem(storageName, 'dismissed');
    setIsOver(true);
  };
  return { state: 'shown', steps, agent, hasCalls, dismiss };
}

/** One small request each. Steps whose result the key may not read are left out. */
function useSteps(isEnabled: boolean) {
  const { client } = useSession();
  const { isAllowed: canReadCalls } = useScope('calls:read');
  const agents = useQuery({
    queryKey: ['agents', 'first'],
    queryFn: async ({ signal }) => (await client.agents.list({ limit: 1 }, { signal })).items,
    enabled: isEnabled,
  });
  const calls = useQuery({
    queryKey: ['calls', 'first'],
    queryFn: async ({ signal }) => (await client.calls.list({ limit: 1 }, { signal })).items.length > 0,
    enabled: isEnabled && canReadCalls,
    refetchInterval: ({ state }) => (state.data === false ? waitMs : false),
  });
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => (await client.providers.list({ signal })).items,
    enabled: isEnabled && canReadCalls,
  });
  const webhooks = useSomeWebhooks();
  const hasModel = providers.data?.some(({ configured, capabilities }) => configured && capabilities.includes('llm'));
  const [newest] = agents.data ?? [];
  const steps: Step[] = [];
  if (agents.data !== undefined) steps.push({ name: 'agent', isDone: newest !== undefined });
  if (calls.data !== undefined) steps.push({ name: 'talk', isDone: calls.data });
  if (hasModel !== undefined) steps.push({ name: 'model', isDone: hasModel });
  if (webhooks.data !== undefined) steps.push({ name: 'webhook', isDone: webhooks.data.length > 0 });
  return {
    steps,
    agent: newest === undefined ? null : { id: newest.id, name: newest.name },
    hasCalls: calls.data ?? false,
    // A request that has failed is repeated when a part of the page asks for the same, which must not hide that part again.
    isPending: isEnabled && [agents, calls, providers, webhooks].some((each) => each.isLoading && !each.isFetched),
  };
}

/** A call that is made beside the page appears without a reload. */
const waitMs = 5000;
