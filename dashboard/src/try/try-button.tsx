import { Tooltip } from '@mantine/core';
import { ChatIcon } from '../icons.tsx';
import { useTexts } from '../language/language.tsx';
import { GuardedButton } from '../parts/scope-guard.tsx';
import { tryTexts } from './texts.ts';
import { type TriedAgent, useTrial } from './try-context.ts';

interface TryButtonProps {
  readonly agent: TriedAgent;
  /** Unsaved changes are not part of the chat. */
  readonly hasUnsaved?: boolean;
}

export function TryButton({ agent, hasUnsaved = false }: TryButtonProps) {
  const texts = useTexts(tryTexts);
  const { open } = useTrial();
  return (
    <Tooltip label={texts.unsaved} disabled={!hasUnsaved}>
      <span>
        <GuardedButton
          scope="calls:write"
          variant="default"
          leftSection={<ChatIcon size={16} />}
          onClick={() => open({ id: agent.id, name: agent.name })}
        >
          {texts.try}
        </GuardedButton>
      </span>
    </Tooltip>
  );
}
