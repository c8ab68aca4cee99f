import type { ReactNode } from 'react';
import type { Turn } from '../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../language/language.tsx';
import { callTexts } from './call-texts.ts';
import { ToolCall } from './tool-call.tsx';
import classes from './turn-line.module.css';

interface TurnLineProps {
  readonly turn: Turn;
  /** Whether to show when it was said. */
  readonly hasTime?: boolean;
}

/** One entry of a transcript: a speech bubble, or a tool call that can be opened. */
export function TurnLine({ turn, hasTime = false }: TurnLineProps) {
  const { format } = useLanguage();
  const texts = useTexts(callTexts);
  const time = hasTime ? format.clock(turn.startMs) : null;
  if (turn.role === 'tool') return turn.toolCall && <ToolCall call={turn.toolCall} time={time} />;
  const took = turn.latency?.e2eMs ?? null;
  const notes = [
    time,
    sourceText(turn, texts),
    took === null ? null : texts.replyTime(format.milliseconds(took)),
  ].filter((note) => note !== null);
  return (
    <Bubble speaker={turn.role} notes={notes.join(' · ')} isInterrupted={turn.interrupted}>
      {turn.text}
      {turn.unspokenText !== null && turn.unspokenText !== '' && (
        <span className={classes.unspoken}>
          <span className={classes.unspokenTitle}>{texts.notHeard}</span> {turn.unspokenText}
        </span>
      )}
    </Bubble>
  );
}

interface BubbleProps {
  readonly speaker: 'agent' | 'caller';
  readonly notes?: string;
  readonly isInterrupted?: boolean;
  readonly children: ReactNode;
}

export function Bubble({ speaker, notes = '', isInterrupted = false, children }: BubbleProps) {
  const texts = useTexts(callTexts);
  return (
    <div className={classes.line} data-role={speaker}>
      <div className={classes.bubble}>
        <span className="visually-hidden">{speaker === 'agent' ? texts.agent : texts.caller}: </span>
        {children}
      </div>
      {(notes !== '' || isInterrupted) && (
        <div className={classes.notes}>
          {isInterrupted && <span className={classes.interrupted}>{texts.interrupted}</span>}
          {notes !== '' && <span>{notes}</span>}
        </div>
      )}
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
