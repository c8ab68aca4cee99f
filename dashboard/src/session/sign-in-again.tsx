import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Whoami } from '../../../sdk/src/index.ts';
import { useLanguage } from '../language/language.tsx';
import { useFocusReturn } from '../parts/focus-return.ts';
import { KeyForm } from './sign-in.tsx';
import { useSession } from './use-session.ts';

interface SignInAgainProps {
  /** What ended the session: the service, or another tab. */
  readonly by: 'refusal' | 'sign-out';
  /** Called with another key of the same workspace. */
  readonly onGoOn: (key: string, whoami: Whoami) => void;
  readonly onReplaced: (key: string, whoami: Whoami) => void;
  readonly onLeave: () => void;
}

/** Shown on top of a page with unsaved changes when the key is rejected, or another tab has signed out. The page stays as it is. */
export function SignInAgain({ by, onGoOn, onReplaced, onLeave }: SignInAgainProps) {
  const { texts } = useLanguage();
  const { workspaceId, workspaceName } = useSession().whoami;
  const [other, setOther] = useState<{ readonly key: string; readonly whoami: Whoami } | null>(null);
  useFocusReturn(true);
  const take = (key: string, whoami: Whoami) => {
    if (whoami.workspaceId === workspaceId) onGoOn(key, whoami);
    else setOther({ key, whoami });
  };
  return (
    <Modal
      opened
      onClose={onLeave}
      title={other === null ? texts.signInAgain : texts.otherWorkspace}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      // Above any dialog that was open when the key was rejected.
      zIndex={400}
    >
      {other === null ? (
        <Stack gap="md">
          <Text size="sm">
            {by === 'refusal' ? texts.signInAgainText(workspaceName) : texts.signedOutText(workspaceName)}
          </Text>
          <KeyForm onSignedIn={take} />
          <Button variant="subtle" color="gray" onClick={onLeave}>
            {texts.leaveAllTyped}
          </Button>
        </Stack>
      ) : (
        <Stack gap="md">
          <Text size="sm" role="alert">
            {texts.otherWorkspaceText(other.whoami.workspaceName, workspaceName)}
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => onReplaced(other.key, other.whoami)}>
              {texts.otherWorkspaceDo(other.whoami.workspaceName)}
            </Button>
            <Button onClick={() => setOther(null)} autoFocus>
              {texts.useAnotherKey}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
