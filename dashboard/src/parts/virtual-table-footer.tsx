import { Button } from '@mantine/core';
import { useLanguage } from '../language/language.tsx';

interface VirtualTableFooterProps {
  readonly count: number;
  /** The infinite query of the items. */
  readonly list: {
    readonly error: Error | null;
    readonly isFetchingNextPage: boolean;
    readonly hasMore: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly texts: {
    readonly loadingMore: string;
    readonly moreFailed: string;
    readonly shown: (count: string) => string;
    readonly shownSoFar: (count: string) => string;
  };
}

/** The number of items, a loading indicator, or an error. */
export function VirtualTableFooter({ count, list, texts }: VirtualTableFooterProps) {
  const { texts: shared, format } = useLanguage();
  if (list.error !== null) {
    return (
      <>
        <span role="alert">{texts.moreFailed}</span>
        <Button size="compact-sm" variant="default" onClick={() => list.fetchNextPage()}>
          {shared.tryAgain}
        </Button>
      </>
    );
  }
  if (list.isFetchingNextPage) return texts.loadingMore;
  return list.hasMore ? texts.shownSoFar(format.number(count)) : texts.shown(format.number(count));
}
