import { PageHeader } from '../../parts/page-header.tsx';

export function Versions({ id }: { id: string }) {
  return <PageHeader title={`Versions of ${id}`} />;
}
