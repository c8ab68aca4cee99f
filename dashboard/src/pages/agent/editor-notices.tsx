import { Alert, Button, Group } from '@mantine/core';
import { LockIcon, WarningIcon } from '../../icons.tsx';
import { useAgentTexts } from './texts.ts';

interface EditorNoticesProps {
  readonly readOnlyReason: string | null;
  readonly nextVersion: number | null;
  readonly onCompare: (() => void) | null;
}

export function EditorNotices({ readOnlyReason, nextVersion, onCompare }: EditorNoticesProps) {
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
        <Alert color="blue" variant="light" mb="lg" py="xs">
          {texts.opensDraft(nextVersion)}
        </Alert>
      )}
    </>
  );
}
