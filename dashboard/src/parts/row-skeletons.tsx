import { Skeleton, Stack } from '@mantine/core';
import { useLanguage } from '../language/language.tsx';

const widths = ['92%', '84%', '95%', '78%', '88%', '81%', '90%', '86%'];

/** The placeholders of table rows while they load. */
export function RowSkeletons() {
  const { texts } = useLanguage();
  return (
    <div aria-busy="true">
      <span className="visually-hidden" role="status">
        {texts.loading}
      </span>
      <Stack gap={30} p="md" pt={51} aria-hidden="true">
        {widths.map((width) => (
          <Skeleton key={width} height={18} width={width} />
        ))}
      </Stack>
    </div>
  );
}
