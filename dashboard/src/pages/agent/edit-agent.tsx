import { PageHeader } from '../../parts/page-header.tsx';

export function EditAgent({ id }: { id: string }) {
  return <PageHeader title={`EditAgent of ${id}`} />;
}
