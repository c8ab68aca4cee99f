import { useComputedColorScheme } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import WaveSurfer from 'wavesurfer.js';
import type { Turn } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import type { Mark } from './marks.ts';
import type { Peaks } from './peaks.ts';
import classes from './recording.module.css';
import { recordingTexts } from './texts.ts';
import { timedWords } from './timed-words.ts';

const laneHeight = 32;
const smallStep = 5;
const largeStep = 30;

interface TimelineProps {
  readonly audio: HTMLAudioElement | null;
  readonly peaks: Peaks;
  readonly marks: readonly Mark[];
  readonly turns: readonly Turn[];
  readonly durationMs: number;
  readonly seconds: number;
  readonly onToggle: () => void;
}

/** The waveform, one lane for each side, as a slider. */
export function Timeline({ audio, peaks, marks, turns, durationMs, seconds, onToggle }: TimelineProps) {
  const { format } = useLanguage();
  const texts = useTexts(recordingTexts);
  const hint = useId();
  const lanes = useWaveSurfer(audio, peaks, durationMs);
  const onKeyDown = (event: KeyboardEvent) => {
    if (audio === null || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === ' ') onToggle();
    else {
      const target = placeAfter(event, audio.currentTime, durationMs / 1000, turns);
      if (target === null) return;
      audio.currentTime = Math.min(durationMs / 1000, Math.max(0, target));
    }
    event.preventDefault();
  };
  return (
    <>
      <div
        className={classes.timeline}
        role="slider"
        tabIndex={0}
        aria-label={texts.position}
        aria-describedby={hint}
        aria-valuemin={0}
        aria-valuemax={Math.ceil(durationMs / 1000)}
        aria-valuenow={seconds}
        aria-valuetext={texts.positionOf(format.clock(seconds * 1000), format.clock(durationMs))}
        onKeyDown={onKeyDown}
      >
        <div ref={lanes} />
        <div className={classes.marks} aria-hidden="true">
          {marks.map(({ kind, startMs, endMs }) => (
            <span
              key={`${kind} ${startMs}`}
              className={classes.mark}
              data-kind={kind}
              style={{
                insetInlineStart: `${(startMs / durationMs) * 100}%`,
                width: kind === 'silence' ? `${((endMs - startMs) / durationMs) * 100}%` : undefined,
              }}
            />
          ))}
        </div>
      </div>
      <span id={hint} className="visually-hidden">
        {texts.keys}
      </span>
    </>
  );
}

/** Where a key leads to, in seconds. Null for keys without a meaning. */
function placeAfter(
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  now: number,
  duration: number,
  turns: readonly Turn[],
): number | null {
  const isForward = key === 'ArrowRight' || key === 'ArrowUp';
  if (isForward || key === 'ArrowLeft' || key === 'ArrowDown') {
    if (shiftKey) return nextWord(turns, now, isForward);
    return now + (isForward ? smallStep : -smallStep);
  }
  if (key === 'PageUp') return now + largeStep;
  if (key === 'PageDown') return now - largeStep;
  if (key === 'Home') return 0;
  return key === 'End' ? duration : null;
}

function nextWord(turns: readonly Turn[], now: number, isForward: boolean): number | null {
  const starts = turns
    .flatMap((turn) => timedWords(turn).map(({ startMs }) => startMs / 1000))
    .toSorted((one, other) => one - other);
  // Playback goes on, so that the word before is not the one that has just begun.
  const found = isForward ? starts.find((start) => start > now + 0.01) : starts.findLast((start) => start < now - 0.3);
  return found ?? null;
}

/** Draws the waveform, whose cursor follows the element, into the element of the ref. */
function useWaveSurfer(audio: HTMLAudioElement | null, peaks: Peaks, durationMs: number) {
  const lanes = useRef<HTMLDivElement>(null);
  const drawn = useRef<WaveSurfer | null>(null);
  const scheme = useComputedColorScheme();

  useEffect(() => {
    if (audio === null || lanes.current === null) return;
    // With peaks it reads no file, and leaves the address of the element as it is.
    const surfer = WaveSurfer.create({
      container: lanes.current,
      media: audio,
      peaks: [...peaks],
      duration: durationMs / 1000,
      height: laneHeight,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      barMinHeight: 1,
      dragToSeek: true,
      hideScrollbar: true,
      cursorWidth: 2,
      ...colorsOf(lanes.current),
    });
    drawn.current = surfer;
    // It starts at the beginning, also if the user has gone to another place before it was drawn.
    surfer.once('ready', () => {
      if (audio.currentTime > 0) surfer.setTime(audio.currentTime);
    });
    return () => {
      drawn.current = null;
      surfer.destroy();
    };
  }, [audio, peaks, durationMs]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors are those of the scheme.
  useEffect(() => {
    if (lanes.current !== null) drawn.current?.setOptions(colorsOf(lanes.current));
  }, [scheme]);

  return lanes;
}

/** A canvas does not know the variables of the page. */
function colorsOf(place: HTMLElement) {
  const style = getComputedStyle(place);
  const colorOf = (name: string) => style.getPropertyValue(name).trim();
  const lane = (color: string) => ({ waveColor: `${color}80`, progressColor: color });
  return {
    cursorColor: colorOf('--mantine-color-text'),
    splitChannels: [lane(colorOf('--app-plot-1')), lane(colorOf('--app-plot-4'))],
  };
}
