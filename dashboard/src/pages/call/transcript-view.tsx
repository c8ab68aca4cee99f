import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Call, KnowledgeSource, Turn } from '../../../../sdk/src/index.ts';
import { isOpen } from '../../calls/call.ts';
import { TurnLine } from '../../calls/turn-line.tsx';
import knowledgeClasses from '../../knowledge/knowledge.module.css';
import { SourceDialog } from '../../knowledge/source-dialog.tsx';
import { knowledgeTexts } from '../../knowledge/texts.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import classes from './call.module.css';
import recordingClasses from './recording/recording.module.css';
import { RecordingCard } from './recording/recording-card.tsx';
import { timedWords } from './recording/timed-words.ts';
import { playFrom, type SpokenWords, useHeardWords, wordAttributes } from './recording/use-heard-words.ts';
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
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  if (transcript === undefined) {
    return <Card isFlush>{error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={onRetry} />}</Card>;
  }
  const turns = transcript.kind === 'turns' ? transcript.turns : [];
  const sentence =
    transcript.kind === 'not_stored'
      ? texts.transcriptNotStored
      : transcript.kind === 'deleted'
        ? texts.transcriptDeleted
        : isOpen(call)
          ? texts.transcriptWaiting
          : texts.transcriptNone;
  return (
    <>
      <RecordingCard call={call} turns={turns} onAudio={setAudio} />
      <Card>
        {turns.length > 0 ? (
          <Turns turns={turns} audio={audio} />
        ) : (
          <Text c="dimmed" ta="center" py="xl">
            {sentence}
          </Text>
        )}
      </Card>
    </>
  );
}

interface TurnsProps {
  readonly turns: readonly Turn[];
  /** Plays the recording. Null if there is none. */
  readonly audio: HTMLAudioElement | null;
}

function Turns({ turns, audio }: TurnsProps) {
  const texts = useTexts(callPageTexts);
  const [source, setSource] = useState<KnowledgeSource | null>(null);
  useFocusReturn(source !== null);
  const spoken = useMemo(
    () => (audio === null ? [] : turns.map((turn) => ({ turn: turn.index, words: timedWords(turn) }))),
    [turns, audio],
  );
  const place = useHeardWords(audio, spoken);
  return (
    <>
      <div ref={place} className={classes.transcript} role="log" aria-label={texts.tabTranscript}>
        {turns.map((turn, index) => (
          <TurnLine
            key={turn.index}
            turn={turn}
            hasTime
            below={turn.sources.length > 0 && <Sources sources={turn.sources} onOpen={setSource} />}
            {...(audio !== null && {
              text: <HeardText turn={turn.index} words={spoken[index]?.words ?? []} />,
              onHear: () => playFrom(audio, turn.startMs),
            })}
          />
        ))}
      </div>
      {source !== null && <SourceDialog source={source} onClose={() => setSource(null)} />}
    </>
  );
}

interface SourcesProps {
  readonly sources: readonly KnowledgeSource[];
  readonly onOpen: (source: KnowledgeSource) => void;
}

/** What a reply was based on, best first. */
function Sources({ sources, onOpen }: SourcesProps) {
  const { format } = useLanguage();
  const texts = useTexts(knowledgeTexts);
  return (
    <ul className={knowledgeClasses.sources} aria-label={texts.sources}>
      {sources.map((source, index) => (
        <li key={source.chunkId}>
          <button type="button" className={knowledgeClasses.source} onClick={() => onOpen(source)}>
            {texts.source(format.number(index + 1), source.score.toFixed(2))}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The words of a turn, which can be clicked. */
function HeardText({ turn, words }: SpokenWords) {
  return words.map(({ text }, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name.
    <span key={place} className={recordingClasses.word} {...wordAttributes(turn, place)}>
      {text}
    </span>
  ));
}
