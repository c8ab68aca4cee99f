import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { SearchIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { PageHeader } from './page-header.tsx';
import { State } from './state.tsx';

export function NotFound() {
  const { texts } = useLanguage();
  const next = (
    <Button component={Link} href="/overview" variant="default">
      {texts.toOverview}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.notFound} />
      <State icon={<SearchIcon />} actions={next}>
        {texts.notFoundNext}
      </State>
    </>
  );
}
