import type { ReactNode } from 'react';
import type { Turn } from '../../../sdk/src/index.ts';
import { PlayIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { callTexts } from './call-texts.ts';
import { ToolCall } from './tool-call.tsx';
import classes from './turn-line.module.css';

interface TurnLineProps {
  readonly turn: Turn;
  /** Whether to show when it was said. */
  readonly hasTime?: boolean;
  /** Instead of the plain text, if its words can be heard. */
  readonly text?: ReactNode;
  /** Plays it. The time is then a button. */
  readonly onHear?: () => void;
  /** Below it. */
  readonly below?: ReactNode;
}

/** One entry of a transcript: a speech bubble, or a tool call that can be opened. */
export function TurnLine({ turn, hasTime = false, text = turn.text, onHear, below }: TurnLineProps) {
  const { format } = useLanguage();
  const texts = useTexts(callTexts);
  const time = hasTime ? format.clock(turn.startMs) : null;
  if (turn.role === 'tool') return turn.toolCall && <ToolCall call={turn.toolCall} time={time} />;
  const took = turn.latency?.e2eMs ?? null;
  const notes = [
    onHear === undefined ? time : null,
    sourceText(turn, texts),
    took === null ? null : texts.replyTime(format.milliseconds(took)),
  ].filter((note) => note !== null);
  const hear = time !== null && onHear !== undefined && (
    <button type="button" className={classes.hear} onClick={onHear}>
      <PlayIcon size={12} />
      <span className="visually-hidden">{texts.playFrom(time)}</span>
      <span aria-hidden="true">{time}</span>
    </button>
  );
  return (
    <Bubble speaker={turn.role} lead={hear} notes={notes.join(' · ')} isInterrupted={turn.interrupted} below={below}>
      {text}
      {turn.unspokenText !== null && turn.unspokenText.trim() !== '' && (
        <span className={classes.unspoken}>
          <span className={classes.unspokenTitle}>{texts.notHeard}</span> {turn.unspokenText.trim()}
        </span>
      )}
    </Bubble>
  );
}

interface BubbleProps {
  readonly speaker: 'agent' | 'caller';
  /** Before the notes. */
  readonly lead?: ReactNode;
  readonly notes?: string;
  readonly isInterrupted?: boolean;
  readonly below?: ReactNode;
  readonly children: ReactNode;
}

export function Bubble({ speaker, lead = false, notes = '', isInterrupted = false, below, children }: BubbleProps) {
  const texts = useTexts(callTexts);
  return (
    <div className={classes.line} data-role={speaker}>
      <div className={classes.bubble}>
        <span className="visually-hidden">{speaker === 'agent' ? texts.agent : texts.caller}: </span>
        {children}
      </div>
      {(lead !== false || notes !== '' || isInterrupted) && (
        <div className={classes.notes}>
          {lead}
          {isInterrupted && <span className={classes.interrupted}>{texts.interrupted}</span>}
          {notes !== '' && <span>{notes}</span>}
        </div>
      )}
      {below}
    </div>
  );
}

/** An ordinary reply and the opening need no explanation. */
function sourceText(
  { source }: Turn,
  texts: { sourceReminder: string; sourceWaiting: string; sourceFallback: string; sourceControl: string },
): string | null {
  if (source === 'reminder') return texts.sourceReminder;
  if (source === 'waiting') return texts.sourceWaiting;
  if (source === 'fallback') return texts.sourceFallback;
  return source === 'control' ? texts.sourceControl : null;
}
