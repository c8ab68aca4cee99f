import { useTexts } from '../language/language.tsx';
import { inBothLanguages } from '../language/texts.ts';
import { Dot } from './dot.tsx';

export type VersionState = 'live' | 'published' | 'draft';

const texts = inBothLanguages<Record<VersionState, string>>(
  { live: 'Live', published: 'Published', draft: 'Draft' },
  { live: '公開中', published: '公開済み', draft: '下書き' },
);

const tones = { live: 'good', published: 'quiet', draft: 'warn' } as const;

/** `live` is the one version that new calls use: of those that are published, the newest. */
export function VersionBadge({ state }: { readonly state: VersionState }) {
  return <Dot tone={tones[state]}>{useTexts(texts)[state]}</Dot>;
}
