import { useLanguage } from '../../language/language.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function Agents() {
  const { texts } = useLanguage();
  return <PageHeader title={texts.agents} />;
}
