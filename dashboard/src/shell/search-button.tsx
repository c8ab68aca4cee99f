import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core';
import { SearchIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import classes from './shell.module.css';
import { paletteKeys } from './use-palette.ts';

interface SearchButtonProps {
  readonly onOpen: () => void;
  /** An icon, for the header of narrow screens. */
  readonly isSmall?: boolean;
}

/** Opens the command palette. */
export function SearchButton({ onOpen, isSmall = false }: SearchButtonProps) {
  const { texts } = useLanguage();
  if (isSmall) {
    return (
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={texts.search}
        className={classes.searchSmall as string}
        onClick={onOpen}
      >
        <SearchIcon />
      </ActionIcon>
    );
  }
  return (
    <UnstyledButton className={classes.search} aria-keyshortcuts="Control+K Meta+K" onClick={onOpen}>
      <SearchIcon size={16} />
      <span className={classes.label}>{texts.search}</span>
      <Kbd size="xs" aria-hidden="true">
        {paletteKeys}
      </Kbd>
    </UnstyledButton>
  );
}
