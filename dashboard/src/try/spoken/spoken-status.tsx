import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { MicrophoneIcon, MicrophoneOffIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import classes from './spoken.module.css';
import { lastLatencyMs, type SpokenCall } from './spoken-call.ts';
import { spokenTexts } from './texts.ts';
import type { SpokenCallControls } from './use-spoken-call.ts';

interface SpokenStatusProps {
  readonly spoken: SpokenCall;
  readonly onMute: (isMuted: boolean) => void;
  readonly onLevel: SpokenCallControls['onLevel'];
}

/** Who speaks, how loud, and how long the last reply took. */
export function SpokenStatus({ spoken, onMute, onLevel }: SpokenStatusProps) {
  const { format } = useLanguage();
  const texts = useTexts(spokenTexts);
  const { floor, isMuted, isReconnecting, hasMicrophone } = spoken;
  const latencyMs = lastLatencyMs(spoken);
  const floors = { caller: texts.floorCaller, agent: texts.floorAgent, none: texts.floorNone };
  return (
    <div className={classes.bar}>
      <div className={classes.row}>
        <span className={classes.floor} data-floor={isReconnecting ? 'none' : floor} role="status">
          {isReconnecting ? texts.reconnecting : floors[floor]}
        </span>
        {latencyMs !== null && <span className={classes.latency}>{texts.latency(format.milliseconds(latencyMs))}</span>}
      </div>
      <div className={classes.row}>
        <div className={classes.meters} aria-hidden="true">
          {hasMicrophone && (
            <Meter label={isMuted ? texts.muted : texts.levelCaller} speaker="caller" onLevel={onLevel} />
          )}
          <Meter label={texts.levelAgent} speaker="agent" onLevel={onLevel} />
        </div>
        {hasMicrophone && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={isMuted ? <MicrophoneOffIcon size={14} /> : <MicrophoneIcon size={14} />}
            onClick={() => onMute(!isMuted)}
          >
            {isMuted ? texts.unmute : texts.mute}
          </Button>
        )}
      </div>
    </div>
  );
}

interface MeterProps {
  readonly label: string;
  readonly speaker: 'caller' | 'agent';
  readonly onLevel: SpokenCallControls['onLevel'];
}

function Meter({ label, speaker, onLevel }: MeterProps) {
  const bar = useRef<HTMLElement>(null);
  useEffect(
    () =>
      onLevel(({ role, level }) => {
        // Speech has a mean level of about a tenth.
        if (role === speaker) bar.current?.style.setProperty('--level', Math.min(1, level * 4).toFixed(2));
      }),
    [speaker, onLevel],
  );
  return (
    <>
      <span>{label}</span>
      <span className={classes.meter}>
        <i ref={bar} />
      </span>
    </>
  );
}
