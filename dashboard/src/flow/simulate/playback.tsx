import { ActionIcon, Tooltip } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Turn } from '../../../../sdk/src/index.ts';
import { TurnLine } from '../../calls/turn-line.tsx';
import { ChevronRightIcon, PauseIcon, PlayIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import classes from './simulate.module.css';
import { simulateTexts } from './texts.ts';
import type { Frame } from './walk.ts';

/** How long each step is shown. */
const frameMs = 800;

interface PlaybackProps {
  readonly frames: readonly Frame[];
  readonly transcript: readonly Turn[];
  readonly place: number;
  readonly isPlaying: boolean;
  readonly onPlay: (isPlaying: boolean) => void;
  readonly onPlace: (place: number) => void;
}

/** The conversation step by step, with what was said. */
export function Playback({ frames, transcript, place, isPlaying, onPlay, onPlace }: PlaybackProps) {
  const texts = useTexts(simulateTexts);
  const last = frames.length - 1;
  const current = useRef({ onPlay, onPlace });
  current.current = { onPlay, onPlace };
  useEffect(() => {
    if (!isPlaying) return;
    if (place >= last) {
      current.current.onPlay(false);
      return;
    }
    const timer = setTimeout(() => current.current.onPlace(place + 1), frameMs);
    return () => clearTimeout(timer);
  }, [isPlaying, place, last]);
  const frame = frames[place];
  const turn = turnAt(transcript, frames[place + 1]?.atMs ?? Number.POSITIVE_INFINITY);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // Only the list: the page around it stays where it is.
    const [element, line] = [list.current, list.current?.children[turn]];
    if (element === null || !(line instanceof HTMLElement)) return;
    const { offsetTop, offsetHeight } = line;
    if (offsetTop < element.scrollTop) element.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = offsetTop + offsetHeight - element.clientHeight;
    }
  }, [turn]);
  if (frame === undefined) return null;
  const go = (to: number) => {
    onPlay(false);
    onPlace(Math.min(Math.max(to, 0), last));
  };
  return (
    <section className={classes.playback} aria-label={texts.walk}>
      <div className={classes.transport}>
        <Tooltip label={texts.previous}>
          <ActionIcon variant="default" aria-label={texts.previous} onClick={() => go(place - 1)}>
            <span className={classes.flipped}>
              <ChevronRightIcon />
            </span>
          </ActionIcon>
        </Tooltip>
        <Tooltip label={isPlaying ? texts.pause : texts.play}>
          <ActionIcon
            variant="filled"
            aria-label={isPlaying ? texts.pause : texts.play}
            onClick={() => {
              if (!isPlaying && place >= last) onPlace(0);
              onPlay(!isPlaying);
            }}
          >
            {isPlaying ? <PauseIcon /> : <PlayIcon />}
          </ActionIcon>
        </Tooltip>
        <Tooltip label={texts.next}>
          <ActionIcon variant="default" aria-label={texts.next} onClick={() => go(place + 1)}>
            <ChevronRightIcon />
          </ActionIcon>
        </Tooltip>
        <input
          type="range"
          min={0}
          max={Math.max(last, 0)}
          value={place}
          aria-label={texts.walk}
          aria-valuetext={`${texts.moment(place + 1, last + 1)}, ${texts.at(frame.skillId)}`}
          onChange={({ currentTarget }) => go(Number(currentTarget.value))}
        />
      </div>
      <p className={classes.at} aria-live={isPlaying ? 'off' : 'polite'}>
        {texts.at(frame.skillId)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need to scroll it. */}
      <ol ref={list} className={classes.turns} tabIndex={0} aria-label={texts.walk}>
        {transcript.map((each, index) => (
          <li key={each.index} data-is-now={index === turn || undefined} data-is-later={index > turn || undefined}>
            <TurnLine turn={each} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The last turn that began before a time. */
function turnAt(transcript: readonly Turn[], beforeMs: number): number {
  return Math.max(
    0,
    transcript.findLastIndex(({ startMs }) => startMs < beforeMs),
  );
}
