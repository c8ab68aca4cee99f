import { Text } from '@mantine/core';
import type { Call } from '../../../../sdk/src/index.ts';
import { isOpen } from '../../calls/call.ts';
import { TurnLine } from '../../calls/turn-line.tsx';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import classes from './call.module.css';
import { callPageTexts } from './texts.ts';
import type { StoredTranscript } from './use-call.ts';

interface TranscriptViewProps {
  readonly call: Call;
  readonly transcript: StoredTranscript | undefined;
  readonly error: Error | null;
  readonly onRetry: () => unknown;
}

export function TranscriptView({ call, transcript, error, onRetry }: TranscriptViewProps) {
  const texts = useTexts(callPageTexts);
  if (transcript === undefined) {
    return <Card isFlush>{error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={onRetry} />}</Card>;
  }
  const sentence =
    transcript.kind === 'not_stored'
      ? texts.transcriptNotStored
      : transcript.kind === 'deleted'
        ? texts.transcriptDeleted
        : transcript.turns.length > 0
          ? null
          : isOpen(call)
            ? texts.transcriptWaiting
            : texts.transcriptNone;
  if (sentence !== null || transcript.kind !== 'turns') {
    return (
      <Card>
        <Text c="dimmed" ta="center" py="xl">
          {sentence}
        </Text>
      </Card>
    );
  }
  return (
    <Card>
      <div className={classes.transcript} role="log" aria-label={texts.tabTranscript}>
        {transcript.turns.map((turn) => (
          <TurnLine key={turn.index} turn={turn} hasTime />
        ))}
      </div>
    </Card>
  );
}
