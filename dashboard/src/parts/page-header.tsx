import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useLanguage } from '../language/language.tsx';
import classes from './page-header.module.css';
import { usePageName } from './page-name.ts';

interface PageHeaderProps {
  /** Default: the name of the page. */
  readonly title?: string;
  readonly description?: ReactNode;
  /** Next to the title, such as a badge. */
  readonly beside?: ReactNode;
  /** Action buttons at the end of the line. */
  readonly actions?: ReactNode;
  /** Above the title, such as a back link. */
  readonly above?: ReactNode;
}

/** The header of every page. Also sets the document title. */
export function PageHeader({ title: own, description, beside, actions, above }: PageHeaderProps) {
  const name = usePageName();
  const title = own ?? name;
  const { texts } = useLanguage();
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title, texts]);
  return (
    <header className={classes.header}>
      <div className={classes.text}>
        {above}
        <Group gap="sm" wrap="nowrap">
          <Title order={1} className={classes.title}>
            {title}
          </Title>
          {beside}
        </Group>
        {description !== undefined && (
          <Text c="dimmed" size="md" mt={2}>
            {description}
          </Text>
        )}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
