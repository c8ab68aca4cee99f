import { ActionIcon, Button, NativeSelect, Text } from '@mantine/core';
import { type SyntheticEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Turn } from '../../../../../sdk/src/index.ts';
import { callTexts } from '../../../calls/call-texts.ts';
import { DownloadIcon, PauseIcon, PlayIcon, RotateIcon } from '../../../icons.tsx';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { useNotice } from '../../../parts/notice.ts';
import { useClient } from '../../../session/use-session.ts';
import { type Mark, marksOf, minSilenceMs, nextMark } from './marks.ts';
import classes from './recording.module.css';
import { recordingTexts } from './texts.ts';
import { Timeline } from './timeline.tsx';
import { pathOf, type RecordingSource, useWaveform } from './use-recording.ts';

const speeds = [0.75, 1, 1.25, 1.5, 2];
/** A link that fails sooner than this has not expired: another one would not help. */
const minLinkMs = 60_000;
/** A moment before an interruption, to hear what it interrupts. */
const leadMs = 1500;

interface PlayerProps {
  readonly callId: string;
  readonly source: RecordingSource;
  readonly turns: readonly Turn[];
  readonly onAudio: (audio: HTMLAudioElement | null) => void;
  /** Gets another link, because this one has expired. */
  readonly onRenew: () => unknown;
}

export function Player({ callId, source, turns, onAudio, onRenew }: PlayerProps) {
  const { format } = useLanguage();
  const texts = useTexts(recordingTexts);
  const { peaks, isRough } = useWaveform(callId, source, turns);
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  const keep = useCallback(
    (element: HTMLAudioElement | null) => {
      setAudio(element);
      onAudio(element);
    },
    [onAudio],
  );
  const { isPlaying, isFailed, seconds, onState, onError, retry } = useAudioState(audio, source, onRenew);
  const download = useDownload(callId);
  const marks = useMemo(() => marksOf(turns, source.durationMs), [turns, source.durationMs]);
  const toggle = () => {
    if (audio?.paused) play(audio);
    else audio?.pause();
  };
  return (
    <section className={classes.player} aria-label={texts.recording}>
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript is below. */}
      <audio
        ref={keep}
        src={source.path}
        preload="metadata"
        onPlay={onState}
        onPause={onState}
        onTimeUpdate={onState}
        onSeeking={onState}
        onError={onError}
      />
      <div className={classes.controls}>
        <ActionIcon
          size={36}
          radius="50%"
          aria-label={isPlaying ? texts.pause : texts.play}
          disabled={isFailed}
          onClick={toggle}
        >
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </ActionIcon>
        <span className={classes.time}>
          {format.clock(seconds * 1000)} / {format.clock(source.durationMs)}
        </span>
        <NativeSelect
          className={classes.speed as string}
          size="xs"
          aria-label={texts.speed}
          defaultValue="1"
          data={speeds.map((speed) => ({ value: String(speed), label: `${format.number(speed)} ×` }))}
          onChange={({ currentTarget }) => {
            if (audio === null) return;
            audio.playbackRate = Number(currentTarget.value);
            // Otherwise another link plays at normal speed.
            audio.defaultPlaybackRate = audio.playbackRate;
          }}
        />
        <ActionIcon variant="default" size={30} aria-label={texts.download} title={texts.download} onClick={download}>
          <DownloadIcon size={16} />
        </ActionIcon>
      </div>
      {isFailed && (
        <div className={classes.failure} role="alert">
          <Text size="sm">{texts.notPlayed}</Text>
          <RetryButton onRetry={retry} />
        </div>
      )}
      <Timeline
        audio={audio}
        peaks={peaks}
        marks={marks}
        turns={turns}
        durationMs={source.durationMs}
        seconds={seconds}
        onToggle={toggle}
      />
      <Legend audio={audio} marks={marks} isRough={isRough} />
    </section>
  );
}

function RetryButton({ onRetry }: { readonly onRetry: () => void }) {
  const { texts } = useLanguage();
  return (
    <Button size="compact-sm" variant="default" leftSection={<RotateIcon size={14} />} onClick={onRetry}>
      {texts.tryAgain}
    </Button>
  );
}

interface LegendProps {
  readonly audio: HTMLAudioElement | null;
  readonly marks: readonly Mark[];
  readonly isRough: boolean;
}

/** What the colors mean, and the way to the next mark of each kind. */
function Legend({ audio, marks, isRough }: LegendProps) {
  const { format } = useLanguage();
  const texts = useTexts(recordingTexts);
  const speakers = useTexts(callTexts);
  const countOf = (wanted: Mark['kind']) => marks.filter(({ kind }) => kind === wanted).length;
  const kinds = [
    {
      kind: 'interruption' as const,
      label: texts.interruptions(format.number(countOf('interruption'))),
      action: texts.nextInterruption,
    },
    {
      kind: 'silence' as const,
      label: texts.silences(format.number(countOf('silence')), format.number(minSilenceMs / 1000)),
      action: texts.nextSilence,
    },
  ];
  const show = (kind: Mark['kind']) => {
    if (audio === null) return;
    const lead = kind === 'interruption' ? leadMs : 0;
    const mark = nextMark(marks, kind, audio.currentTime * 1000 + lead);
    if (mark === null) return;
    audio.currentTime = Math.max(0, mark.startMs - lead) / 1000;
    play(audio);
  };
  return (
    <div className={classes.legend}>
      <span className={classes.speaker} data-speaker="caller">
        {speakers.caller}
      </span>
      <span className={classes.speaker} data-speaker="agent">
        {speakers.agent}
      </span>
      {kinds.map(
        ({ kind, label, action }) =>
          countOf(kind) > 0 && (
            <button
              key={kind}
              type="button"
              className={classes.kind}
              data-kind={kind}
              title={action}
              onClick={() => show(kind)}
            >
              {label}
              <span className="visually-hidden">: {action}</span>
            </button>
          ),
      )}
      <span className={classes.hint} data-is-rough={isRough || undefined}>
        {isRough ? texts.rough : texts.hint}
      </span>
    </div>
  );
}

/** With a link of its own, because that of the player may have expired. */
function useDownload(callId: string): () => Promise<void> {
  const texts = useTexts(recordingTexts);
  const notice = useNotice();
  const { calls } = useClient();
  return async () => {
    try {
      const { url } = await calls.recording.get(callId);
      const link = document.createElement('a');
      link.href = pathOf(url);
      link.download = `${callId}.wav`;
      link.click();
    } catch {
      notice(texts.notLoaded, 'bad');
    }
  };
}

/** Where the element is, and another link when its link has expired. */
function useAudioState(audio: HTMLAudioElement | null, source: RecordingSource, onRenew: () => unknown) {
  const [isPlaying, setIsPlaying] = useState(false);
  /** Another link may work. */
  const [failedPath, setFailedPath] = useState<string | null>(null);
  const [seconds, setSeconds] = useState(0);
  /** Where it was when the link stopped working. */
  const stopped = useRef<{ readonly seconds: number; readonly isPlaying: boolean } | null>(null);
  const { path, fetchedAt } = source;

  const renew = (isToPlay: boolean) => {
    if (audio === null) return;
    stopped.current = { seconds: audio.currentTime, isPlaying: isToPlay };
    onRenew();
  };
  const onError = () => {
    if (Date.now() - fetchedAt > minLinkMs) return renew(audio?.paused === false);
    setFailedPath(path);
    setIsPlaying(false);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: for each new link.
  useEffect(() => {
    // The element may have failed before it became part of the page, and no event tells of that.
    if (audio !== null && audio.error !== null) return onError();
    if (audio === null || stopped.current === null) return;
    const { seconds: place, isPlaying: wasPlaying } = stopped.current;
    stopped.current = null;
    audio.currentTime = place;
    if (wasPlaying) play(audio);
  }, [audio, path]);

  return {
    isPlaying,
    isFailed: failedPath === path,
    seconds,
    onState: ({ currentTarget }: SyntheticEvent<HTMLAudioElement>) => {
      setIsPlaying(!currentTarget.paused);
      setSeconds(Math.floor(currentTarget.currentTime));
    },
    onError,
    retry: () => renew(true),
  };
}

/** A refusal of the browser, or the next change of position, is no error. */
function play(audio: HTMLAudioElement): void {
  audio.play().catch(() => {});
}
