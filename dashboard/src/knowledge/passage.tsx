import type { ReactNode } from 'react';
import type { Chunk, Highlight } from '../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../language/language.tsx';
import { highlighted } from './highlight.ts';
import classes from './knowledge.module.css';
import { knowledgeTexts } from './texts.ts';

interface PassageProps {
  readonly chunk: Chunk;
  readonly title: ReactNode;
  readonly notes?: readonly string[];
  readonly highlights?: readonly Highlight[];
}

/** A chunk as the agent sees it: where it stands, and its text. */
export function Passage({ chunk, title, notes = [], highlights = [] }: PassageProps) {
  const { format } = useLanguage();
  const texts = useTexts(knowledgeTexts);
  const { headingPath, page, text } = chunk;
  const place = [headingPath.join(' › '), page === null ? '' : texts.page(format.number(page)), ...notes];
  return (
    <article className={classes.passage}>
      <div className={classes.head}>
        <strong>{title}</strong>
        <span className={classes.place}>{place.filter((part) => part !== '').join(' · ')}</span>
      </div>
      <p className={classes.text}>
        {highlighted(text, highlights).map(({ text: part, isHit }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
          isHit ? <mark key={index}>{part}</mark> : <span key={index}>{part}</span>,
        )}
      </p>
    </article>
  );
}
