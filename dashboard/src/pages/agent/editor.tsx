import { Alert, Button, Group } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { LockIcon, WarningIcon } from '../../icons.tsx';
import { useScope } from '../../session/use-session.ts';
import { AgentHeader } from './agent-header.tsx';
import { check } from './checks.ts';
import { CodeDrawer } from './code-drawer.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { focusAtHash } from './focus-at.ts';
import { FormFrame } from './form-frame.tsx';
import { SaveFailure } from './save-failure.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import { useDraft } from './use-draft.ts';
import { useIssues } from './use-issues.ts';
import { useSave } from './use-save.ts';
import { changedFields, type Values, valuesOf } from './values.ts';

/** `stored` is the latest fetched agent; the form is based on the one from when it was opened or last saved. */
export function Editor({ stored: latest }: { readonly stored: StoredAgent }) {
  const texts = useAgentTexts();
  const { isAllowed, reason } = useScope('agents:write');
  const [held, setHeld] = useState(latest);
  const draft = useDraft(useMemo(() => valuesOf(held.agent), [held]));
  const issues = useIssues(draft.values);
  const [showsCode, setShowsCode] = useState(false);
  const [theirs, setTheirs] = useState<StoredAgent | null>(null);
  const save = useSave(latest.agent.id, {
    onSaved: (saved, sent) => {
      setHeld(saved);
      draft.settle(sent, valuesOf(saved.agent));
    },
    onConflict: setTheirs,
    onRefused: issues.showAnswer,
  });
  const isDirty = draft.changed.length > 0;
  // Compared by `updatedAt`, which never decreases: a saved agent is newer than an earlier fetch.
  const isOutdated = latest.agent.updatedAt > held.agent.updatedAt;

  useEffect(() => {
    if (!isOutdated || isDirty || save.isPending) return;
    setHeld(latest);
    draft.restart(valuesOf(latest.agent));
  }, [isOutdated, isDirty, save.isPending, latest, draft.restart]);

  useEffect(focusAtHash, []);

  const attempt = (base: Values, values: Values, etag: string) => {
    if (save.isPending || changedFields(base, values).length === 0) return;
    if (issues.show(check(values, base, texts))) save.mutate({ base, values, etag });
  };
  /** Rebases the form on what the other person saved, with `values` as its content. */
  const adopt = (next: StoredAgent, values: Values) => {
    setTheirs(null);
    setHeld(next);
    draft.restart(valuesOf(next.agent), values);
  };
  return (
    <>
      <AgentHeader stored={isDirty ? held : latest} view="edit" hasUnsaved={isDirty} />
      <FormFrame
        draft={draft}
        issues={issues}
        isReadOnly={!isAllowed}
        isSaving={save.isPending}
        saveLabel={texts.save}
        onSave={() => attempt(draft.base, draft.values, held.etag)}
        onDiscard={() => {
          draft.restart(draft.base);
          issues.clear();
        }}
        onShowCode={() => setShowsCode(true)}
      >
        <Notices
          readOnlyReason={isAllowed ? null : reason}
          nextVersion={held.agent.isPublished && isDirty ? held.agent.version + 1 : null}
          onCompare={isOutdated && isDirty && !save.isPending ? () => setTheirs(latest) : null}
        />
        <SaveFailure error={save.error} />
      </FormFrame>
      {showsCode && (
        <CodeDrawer
          target={{ id: held.agent.id, etag: held.etag, base: draft.base }}
          values={draft.values}
          onClose={() => setShowsCode(false)}
        />
      )}
      {theirs !== null && (
        <ConflictDialog
          base={draft.base}
          mine={draft.values}
          theirs={theirs}
          onClose={() => setTheirs(null)}
          onAdopt={(values) => adopt(theirs, values)}
          onSave={(values) => {
            adopt(theirs, values);
            attempt(valuesOf(theirs.agent), values, theirs.etag);
          }}
        />
      )}
    </>
  );
}

interface NoticesProps {
  readonly readOnlyReason: string | null;
  readonly nextVersion: number | null;
  readonly onCompare: (() => void) | null;
}

function Notices({ readOnlyReason, nextVersion, onCompare }: NoticesProps) {
  const texts = useAgentTexts();
  return (
    <>
      {readOnlyReason !== null && (
        <Alert color="gray" variant="light" icon={<LockIcon />} title={readOnlyReason} mb="lg">
          {texts.readOnly}
        </Alert>
      )}
      {onCompare !== null && (
        <Alert color="orange" variant="light" icon={<WarningIcon />} role="alert" mb="lg">
          <Group justify="space-between">
            {texts.changedMeanwhile}
            <Button size="xs" variant="default" onClick={onCompare}>
              {texts.compareNow}
            </Button>
          </Group>
        </Alert>
      )}
      {nextVersion !== null && (
        <Alert color="blue" variant="light" mb="lg">
          {texts.opensDraft(nextVersion)}
        </Alert>
      )}
    </>
  );
}
