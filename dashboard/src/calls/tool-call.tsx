import type { TurnToolCall } from '../../../sdk/src/index.ts';
import { ChevronRightIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { JsonBlock } from '../parts/json-block.tsx';
import { callTexts } from './call-texts.ts';
import classes from './turn-line.module.css';

interface ToolCallProps {
  readonly call: TurnToolCall;
  readonly time: string | null;
}

/** A tool call, which opens to what was sent and received. */
export function ToolCall({ call, time }: ToolCallProps) {
  const { format } = useLanguage();
  const texts = useTexts(callTexts);
  const isRunning = call.result === null && !call.isError && call.durationMs === 0;
  const notes = [time, isRunning ? null : format.milliseconds(call.durationMs)].filter((note) => note !== null);
  return (
    <details className={classes.tool}>
      <summary className={classes.toolHead}>
        <ChevronRightIcon size={14} />
        <span>{texts.toolCalled(call.name)}</span>
        {call.isExample && <span className={classes.toolNotes}>{texts.toolExample}</span>}
        {call.isError && <span className={classes.toolFailed}>{texts.toolFailed}</span>}
        <span className={classes.toolNotes}>{notes.join(' · ')}</span>
      </summary>
      <div className={classes.toolBody}>
        <span className={classes.toolTitle}>{texts.toolArguments}</span>
        <JsonBlock value={call.arguments} label={`${texts.toolCalled(call.name)}: ${texts.toolArguments}`} />
        <span className={classes.toolTitle}>{texts.toolResult}</span>
        {isRunning ? (
          <span className={classes.toolNotes}>{texts.toolNoResult}</span>
        ) : (
          <JsonBlock value={call.result} label={`${texts.toolCalled(call.name)}: ${texts.toolResult}`} />
        )}
      </div>
    </details>
  );
}
