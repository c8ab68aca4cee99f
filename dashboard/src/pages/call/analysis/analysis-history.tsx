import { Button, UnstyledButton } from '@mantine/core';
import type { Analysis } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { Ago } from '../../../parts/ago.tsx';
import classes from './analysis.module.css';
import { analysisTexts } from './texts.ts';

interface AnalysisHistoryProps {
  readonly analyses: readonly Analysis[];
  readonly shownId: string | null;
  readonly onShow: (analysis: Analysis) => void;
  readonly onMore: (() => void) | null;
}

/** Every analysis of a call, also those that failed. A completed one can be shown. */
export function AnalysisHistory({ analyses, shownId, onShow, onMore }: AnalysisHistoryProps) {
  const { format } = useLanguage();
  const texts = useTexts(analysisTexts);
  return (
    <>
      <ul className={classes.history}>
        {analyses.map((analysis) => {
          const { id, status, reason, trigger, agentVersion, revision, createdAt, model } = analysis;
          const tokens = (analysis.promptTokens ?? 0) + (analysis.completionTokens ?? 0);
          const notes = [
            trigger === 'api' ? texts.api : texts.callEnd,
            texts.version(agentVersion),
            revision > 0 ? texts.revision(revision) : null,
            model,
            analysis.durationMs === null ? null : format.milliseconds(analysis.durationMs),
            tokens > 0 ? texts.tokens(format.number(tokens)) : null,
          ].filter((note) => note !== null);
          return (
            <li key={id}>
              <span className={classes.historyHead}>
                {status === 'completed' ? (
                  <UnstyledButton
                    className={classes.show as string}
                    aria-pressed={id === shownId}
                    title={texts.historyShow(format.dateTime(createdAt))}
                    onClick={() => onShow(analysis)}
                  >
                    {texts.completed}
                  </UnstyledButton>
                ) : (
                  <span>{status === 'pending' ? texts.pendingStatus : texts[status]}</span>
                )}
                <Ago at={createdAt} />
              </span>
              {reason !== null && <span>{texts[reason]}</span>}
              <span className={classes.notes}>{notes.join(' · ')}</span>
            </li>
          );
        })}
      </ul>
      {onMore !== null && (
        <Button variant="subtle" size="xs" onClick={onMore}>
          {texts.more}
        </Button>
      )}
    </>
  );
}
