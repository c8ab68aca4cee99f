import { Skeleton, Stack } from '@mantine/core';
import { useLanguage } from '../language/language.tsx';

/** The placeholder of a page while it loads. */
export function PageSkeleton({ isWhole = false }: { readonly isWhole?: boolean }) {
  const { texts } = useLanguage();
  const Place = isWhole ? 'main' : 'div';
  return (
    <Place aria-busy="true" style={isWhole ? { padding: '2rem', maxWidth: '60rem', margin: '0 auto' } : undefined}>
      <span className="visually-hidden" role="status">
        {texts.loading}
      </span>
      <Stack gap="md" aria-hidden="true">
        <Skeleton height={28} width={180} />
        <Skeleton height={16} width={320} maw="80%" />
        <Skeleton height={220} mt="sm" />
      </Stack>
    </Place>
  );
}
