import { useEffect } from 'react';
import { ConflictError, type VoiceAgents } from '../../../../sdk/src/index.ts';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { readAgent, type StoredAgent, stored, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import { changedFields, patchBetween, type Values, valuesOf } from './values.ts';

interface Attempt {
  readonly base: Values;
  readonly values: Values;
  readonly etag: string;
}

interface Outcomes {
  readonly onSaved: (saved: StoredAgent, sent: Values) => void;
  readonly onConflict: (theirs: StoredAgent) => void;
  readonly onRefused: (error: unknown) => void;
}

type Result = { readonly saved: StoredAgent } | { readonly theirs: StoredAgent };

/** Sends the changes, provided that nobody else has changed the agent since. */
export function useSave(id: string, { onSaved, onConflict, onRefused }: Outcomes) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const client = useClient();
  const afterWrite = useAfterWrite();
  const mutation = useSingleMutation({
    mutationFn: (attempt: Attempt) => send(client, id, attempt),
    onSuccess: (result, { values }) => {
      if ('theirs' in result) {
        afterWrite(result.theirs);
        onConflict(result.theirs);
        return;
      }
      onSaved(result.saved, values);
      afterWrite(result.saved);
      const { version, isPublished } = result.saved.agent;
      const message = isPublished ? texts.saved : texts.savedAsVersion(version);
      notice(message);
    },
    onError: onRefused,
  });
  // With another key, errors of the previous one no longer apply.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the client changes.
  useEffect(() => mutation.reset(), [client]);
  return mutation;
}

async function send(client: VoiceAgents, id: string, { base, values, etag }: Attempt): Promise<Result> {
  try {
    const response = await client.agents.update(id, patchBetween(base, values), { ifMatch: etag }).withResponse();
    return { saved: stored(response) };
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const theirs = await readAgent(client, id);
    // If an earlier response was lost, the conflict may be caused by our own change.
    return changedFields(valuesOf(theirs.agent), values).length === 0 ? { saved: theirs } : { theirs };
  }
}
