import { ConflictError, type UpdateWorkflow, type VoiceAgents } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { requestOf, valuesOf, type WorkflowValues } from '../../workflows/definition.ts';
import { workflowsTexts } from './texts.ts';
import { readWorkflow, type StoredWorkflow, stored, useAfterWrite } from './use-workflows.ts';
import { changedValues } from './workflow-draft.ts';

interface Attempt {
  readonly base: WorkflowValues;
  readonly values: WorkflowValues;
  readonly etag: string;
}

interface Outcomes {
  readonly onSaved: (saved: StoredWorkflow, sent: WorkflowValues) => void;
  readonly onConflict: (theirs: StoredWorkflow) => void;
  readonly onRefused: (error: unknown) => void;
}

type Result = { readonly saved: StoredWorkflow } | { readonly theirs: StoredWorkflow };

/** Sends the changes, provided that nobody else has changed the workflow since. */
export function useSave(id: string, { onSaved, onConflict, onRefused }: Outcomes) {
  const texts = useTexts(workflowsTexts);
  const notice = useNotice();
  const client = useClient();
  const afterWrite = useAfterWrite();
  return useSingleMutation({
    mutationFn: (attempt: Attempt) => send(client, id, attempt),
    onSuccess: (result, { values }) => {
      if ('theirs' in result) {
        onConflict(result.theirs);
        return;
      }
      onSaved(result.saved, values);
      afterWrite(result.saved);
      notice(texts.saved(String(result.saved.workflow.version)));
    },
    onError: onRefused,
  });
}

async function send(client: VoiceAgents, id: string, attempt: Attempt, isRepeated = false): Promise<Result> {
  const { base, values, etag } = attempt;
  const body = requestOf(values);
  const changes = Object.fromEntries(changedValues(base, values).map((name) => [name, body[name]])) as UpdateWorkflow;
  try {
    return { saved: stored(await client.workflows.update(id, changes, { ifMatch: etag }).withResponse()) };
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const theirs = await readWorkflow(client, id);
    const theirValues = valuesOf(theirs.workflow);
    // If an earlier response was lost, the conflict may be caused by our own change.
    if (changedValues(theirValues, values).length === 0) return { saved: theirs };
    // It was only enabled or disabled.
    if (!isRepeated && changedValues(base, theirValues).length === 0) {
      return send(client, id, { ...attempt, etag: theirs.etag }, true);
    }
    return { theirs };
  }
}
