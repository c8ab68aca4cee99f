import { useTexts } from '../language/language.tsx';
import { inBothLanguages } from '../language/texts.ts';
import { Dot } from './dot.tsx';

const texts = inBothLanguages({ published: 'Published', draft: 'Draft' }, { published: '公開済み', draft: '下書き' });

export function VersionBadge({ isPublished }: { readonly isPublished: boolean }) {
  const { published, draft } = useTexts(texts);
  return <Dot tone={isPublished ? 'good' : 'warn'}>{isPublished ? published : draft}</Dot>;
}
