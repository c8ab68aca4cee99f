import { PageHeader } from '../../parts/page-header.tsx';

export function Code({ id }: { id: string }) {
  return <PageHeader title={`Code of ${id}`} />;
}
