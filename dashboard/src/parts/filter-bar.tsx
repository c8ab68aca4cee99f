import { ActionIcon, Button, Collapse, Tooltip } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CloseIcon, FilterIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import classes from './filter-bar.module.css';
import { useIsNarrow } from './narrow.ts';

interface FilterBarProps {
  /** How many filters are set. */
  readonly count: number;
  /** With the widths of the fields in `--columns`. */
  readonly className: string | undefined;
  readonly onClear: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** The filters of a list. On narrow screens the fields are behind a button. */
export function FilterBar({ count, className, onClear, children }: FilterBarProps) {
  const { texts, format } = useLanguage();
  const isNarrow = useIsNarrow();
  const [isShown, setIsShown] = useState(false);
  const fields = <div className={`${classes.fields} ${className}`}>{children}</div>;
  if (!isNarrow) {
    return (
      <search className={classes.bar}>
        {fields}
        {/* Its place stays, so that setting a filter moves nothing. */}
        <Tooltip label={texts.clearFilters}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="md"
            aria-label={texts.clearFilters}
            data-is-hidden={count === 0 || undefined}
            className={classes.clear as string}
            onClick={onClear}
          >
            <CloseIcon size={16} />
          </ActionIcon>
        </Tooltip>
      </search>
    );
  }
  return (
    <search>
      <div className={classes.buttons}>
        <Button
          variant="default"
          size="xs"
          leftSection={<FilterIcon size={16} />}
          aria-expanded={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          {count === 0 ? texts.filters : texts.filtersSet(format.number(count))}
        </Button>
        {count > 0 && (
          <Button size="xs" variant="subtle" onClick={onClear}>
            {texts.clearFilters}
          </Button>
        )}
      </div>
      <Collapse expanded={isShown}>{fields}</Collapse>
    </search>
  );
}
