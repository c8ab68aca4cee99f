import { ActionIcon, Group, Menu, Tooltip, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { CheckIcon, GlobeIcon, MoonIcon, ScreenIcon, SunIcon } from '../icons.tsx';
import { type Language, useLanguage } from '../language/language.tsx';
import classes from './shell.module.css';

const languages: readonly { readonly value: Language; readonly name: string }[] = [
  { value: 'en', name: 'English' },
  { value: 'ja', name: '日本語' },
];

/** Language and theme as icons, for the sign-in page. Both are stored in the browser. */
export function Preferences() {
  return (
    <Group gap={4}>
      <LanguageMenu />
      <ColorSchemeMenu />
    </Group>
  );
}

/** As an item of the navigation, it shows its name and value; otherwise it is an icon. */
interface MenuProps {
  readonly isItem?: boolean;
}

export function LanguageMenu({ isItem = false }: MenuProps) {
  const { language, texts, setLanguage } = useLanguage();
  const current = languages.find(({ value }) => value === language)?.name ?? '';
  return (
    <Menu position={isItem ? 'right-end' : 'top-end'} width={160} withInitialFocusPlaceholder={false}>
      {target(isItem, texts.language, current, <GlobeIcon />)}
      <Menu.Dropdown>
        {languages.map(({ value, name }) => (
          <Menu.Item
            key={value}
            lang={value}
            aria-current={value === language || undefined}
            onClick={() => setLanguage(value)}
            rightSection={value === language && <CheckIcon size={16} />}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function ColorSchemeMenu({ isItem = false }: MenuProps) {
  const { texts } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = [
    { value: 'light', name: texts.light, Icon: SunIcon },
    { value: 'dark', name: texts.dark, Icon: MoonIcon },
    { value: 'auto', name: texts.asSystem, Icon: ScreenIcon },
  ] as const;
  const { Icon: Current, name: current } = schemes.find(({ value }) => value === colorScheme) ?? schemes[2];
  return (
    <Menu position={isItem ? 'right-end' : 'top-end'} width={200} withInitialFocusPlaceholder={false}>
      {target(isItem, texts.colorScheme, current, <Current />)}
      <Menu.Dropdown>
        {schemes.map(({ value, name, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            aria-current={value === colorScheme || undefined}
            onClick={() => setColorScheme(value)}
            rightSection={value === colorScheme && <CheckIcon size={16} />}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Not a component, because a menu passes its properties to the button itself. */
function target(isItem: boolean, label: string, value: string, icon: ReactNode) {
  if (isItem) {
    return (
      <Menu.Target>
        <UnstyledButton className={classes.item}>
          {icon}
          <span className={classes.label}>{label}</span>
          <span className={classes.value}>{value}</span>
        </UnstyledButton>
      </Menu.Target>
    );
  }
  return (
    <Menu.Target>
      <Tooltip label={label}>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label}>
          {icon}
        </ActionIcon>
      </Tooltip>
    </Menu.Target>
  );
}
