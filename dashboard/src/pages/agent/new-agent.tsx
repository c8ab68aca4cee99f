import { PageHeader } from '../../parts/page-header.tsx';

export function NewAgent() {
  return <PageHeader title="New agent" />;
}
