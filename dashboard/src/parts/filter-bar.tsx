import { Button, Collapse } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FilterIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import classes from './filter-bar.module.css';
import { useIsNarrow } from './narrow.ts';

interface FilterBarProps {
  /** How many filters are set. */
  readonly count: number;
  /** With the widths of the fields in `--columns`. */
  readonly className: string | undefined;
  /** The fields. */
  readonly children: ReactNode;
}

/** The filters of a list. On narrow screens the fields are behind a button. */
export function FilterBar({ count, className, children }: FilterBarProps) {
  const { texts, format } = useLanguage();
  const isNarrow = useIsNarrow();
  const [isShown, setIsShown] = useState(false);
  const layout = `${classes.fields} ${className}`;
  if (!isNarrow) return <search className={layout}>{children}</search>;
  return (
    <search>
      <Button
        variant="default"
        size="xs"
        mb="sm"
        leftSection={<FilterIcon size={16} />}
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        {count === 0 ? texts.filters : texts.filtersSet(format.number(count))}
      </Button>
      <Collapse expanded={isShown}>
        <div className={layout}>{children}</div>
      </Collapse>
    </search>
  );
}
