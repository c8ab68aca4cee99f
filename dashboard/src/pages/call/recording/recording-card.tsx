import { Anchor, Button, Loader, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Call, Turn } from '../../../../../sdk/src/index.ts';
import { RotateIcon } from '../../../icons.tsx';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { lazyPart } from '../../../lazy-page.ts';
import { describeError } from '../../../parts/error-state.tsx';
import { LazyPart } from '../../../parts/lazy-part.tsx';
import { placeOf } from '../../agent/fields.ts';
import classes from './recording.module.css';
import { recordingTexts } from './texts.ts';
import { useRecordingSource } from './use-recording.ts';

/** With the library that draws waveforms, which other calls do not need. */
const Player = lazyPart(async () => (await import('./player.tsx')).Player);

interface RecordingCardProps {
  readonly call: Call;
  readonly turns: readonly Turn[];
  /** Called with the element that plays the recording, and with null when it is gone. */
  readonly onAudio: (audio: HTMLAudioElement | null) => void;
}

/** The recording of a spoken call, or why there is none. */
export function RecordingCard({ call, turns, onAudio }: RecordingCardProps) {
  const texts = useTexts(recordingTexts);
  const { status } = call.recording;
  // Nobody expects one.
  if (call.type === 'chat' || call.startedAt === null) return null;
  if (status === 'available') return <AvailableRecording call={call} turns={turns} onAudio={onAudio} />;
  const sentences = {
    none: texts.none,
    recording: texts.running,
    processing: texts.processing,
    failed: texts.failed,
    not_stored: texts.notStored,
    deleted: texts.deleted,
  };
  const isRunning = status === 'recording' || status === 'processing';
  return (
    <section className={classes.absent} aria-label={texts.recording}>
      {isRunning && <Loader size={14} color="gray" aria-hidden="true" />}
      <Text size="sm" c="dimmed" role={isRunning ? 'status' : undefined}>
        {sentences[status]}
        {status === 'none' && call.agentId !== null && (
          <>
            {' '}
            <Anchor
              component={Link}
              href={`/agents/${call.agentId}#${encodeURIComponent(placeOf('agentSettings.calls.recordingEnabled'))}`}
              inherit
            >
              {texts.switchOn}
            </Anchor>
          </>
        )}
      </Text>
    </section>
  );
}

function AvailableRecording({ call, turns, onAudio }: RecordingCardProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(recordingTexts);
  const { data: source, error, refetch } = useRecordingSource(call.id);
  if (source === undefined && error !== null) {
    return (
      <section className={classes.absent} aria-label={texts.recording} role="alert">
        <Text size="sm">
          {texts.notLoaded} {describeError(error, shared).title}
        </Text>
        <Button size="compact-sm" variant="default" leftSection={<RotateIcon size={14} />} onClick={() => refetch()}>
          {shared.tryAgain}
        </Button>
      </section>
    );
  }
  const waiting = <section className={classes.waiting} aria-label={texts.recording} aria-busy="true" />;
  if (source === undefined) return waiting;
  return (
    <LazyPart fallback={waiting}>
      <Player callId={call.id} source={source} turns={turns} onAudio={onAudio} onRenew={() => refetch()} />
    </LazyPart>
  );
}
