import { useLanguage } from '../../language/language.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function Keys() {
  const { texts } = useLanguage();
  return <PageHeader title={texts.keys} />;
}
