import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Turn } from '../../../../../sdk/src/index.ts';
import { TurnLine } from '../../../calls/turn-line.tsx';
import { useTexts } from '../../../language/language.tsx';
import { Scrollable } from '../../../parts/scrollable.tsx';
import classes from './analysis.module.css';
import type { ChosenValue } from './analysis-values.tsx';
import { analysisTexts } from './texts.ts';

interface QuotedConversationProps {
  readonly turns: readonly Turn[] | null;
  readonly chosen: ChosenValue | null;
  /** Whether there is anything to choose. */
  readonly hasValues: boolean;
}

/** The conversation, in which the turns that the chosen value is based on are highlighted. */
export function QuotedConversation({ turns, chosen, hasValues }: QuotedConversationProps) {
  const texts = useTexts(analysisTexts);
  const first = useRef<HTMLDivElement>(null);
  const quoted = chosen?.evidence.turns ?? [];
  const [firstIndex] = quoted;
  useEffect(() => {
    if (firstIndex !== undefined) first.current?.scrollIntoView({ block: 'nearest' });
  }, [firstIndex]);
  if (turns === null || turns.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.conversationNone}
      </Text>
    );
  }
  return (
    <>
      {hasValues && (
        <p className={classes.hint} role="status">
          {chosen === null ? texts.conversationHint : texts.quotedText(chosen.evidence.quote)}
        </p>
      )}
      <Scrollable className={classes.conversation} label={texts.conversation}>
        {turns.map((turn) => {
          const isQuoted = quoted.includes(turn.index);
          return (
            <div
              key={turn.index}
              ref={turn.index === firstIndex ? first : undefined}
              className={classes.turn}
              data-is-quoted={isQuoted || undefined}
            >
              {isQuoted && <span className={classes.mark}>{texts.quoted}</span>}
              <TurnLine turn={turn} hasTime />
            </div>
          );
        })}
      </Scrollable>
    </>
  );
}
