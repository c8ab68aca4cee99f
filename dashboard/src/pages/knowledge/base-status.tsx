import type { KnowledgeBase } from '../../../../sdk/src/index.ts';
import { knowledgeTexts } from '../../knowledge/texts.ts';
import { useTexts } from '../../language/language.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';

const tones: Readonly<Record<KnowledgeBase['status'], Tone>> = {
  updating: 'quiet',
  degraded: 'warn',
  empty: 'quiet',
  ready: 'good',
};

export function BaseStatus({ base: { status } }: { readonly base: KnowledgeBase }) {
  const texts = useTexts(knowledgeTexts);
  return <Dot tone={tones[status]}>{texts[status]}</Dot>;
}
