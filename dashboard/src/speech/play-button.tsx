import { ActionIcon, Loader, Tooltip } from '@mantine/core';
import type { PreviewVoice } from '../../../sdk/src/index.ts';
import { PlayIcon, StopIcon } from '../icons.tsx';
import { useTexts } from '../language/language.tsx';
import { useScope } from '../session/use-session.ts';
import { speechTexts } from './texts.ts';
import type { VoicePlayer } from './use-voice-player.ts';

interface PlayButtonProps {
  readonly player: VoicePlayer;
  /** The name of what is heard. */
  readonly name: string;
  readonly body: PreviewVoice | (() => Promise<PreviewVoice | null>);
  readonly isDisabled?: boolean;
}

/** Starts and stops a sentence. */
export function PlayButton({ player, name, body, isDisabled = false }: PlayButtonProps) {
  const texts = useTexts(speechTexts);
  const { isAllowed, reason } = useScope('calls:write');
  const isIdle = player.state === 'idle';
  const label = isIdle ? texts.playVoice(name) : texts.stop;
  const click = () => {
    if (!isAllowed || isDisabled) return;
    if (isIdle) player.play(body);
    else player.stop();
  };
  return (
    <Tooltip label={isAllowed ? (player.state === 'loading' ? texts.loading : label) : reason}>
      <ActionIcon
        variant="default"
        size="lg"
        onClick={click}
        aria-label={isAllowed ? label : `${label} (${reason})`}
        {...((!isAllowed || isDisabled) && { 'data-disabled': true, 'aria-disabled': true })}
      >
        {isIdle ? <PlayIcon size={16} /> : player.state === 'loading' ? <Loader size={14} /> : <StopIcon size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
