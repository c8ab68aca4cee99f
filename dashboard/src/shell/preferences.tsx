import { ActionIcon, Group, Menu, Tooltip, useMantineColorScheme } from '@mantine/core';
import { CheckIcon, GlobeIcon, MoonIcon, ScreenIcon, SunIcon } from '../icons.tsx';
import { type Language, useLanguage } from '../language/language.tsx';

const languages: readonly { readonly value: Language; readonly name: string }[] = [
  { value: 'en', name: 'English' },
  { value: 'ja', name: '日本語' },
];

/** Language and theme, stored in the browser. */
export function Preferences() {
  return (
    <Group gap={4}>
      <LanguageMenu />
      <ColourSchemeMenu />
    </Group>
  );
}

function LanguageMenu() {
  const { language, texts, setLanguage } = useLanguage();
  return (
    <Menu position="top-end" width={160} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Tooltip label={texts.language}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={texts.language}>
            <GlobeIcon />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
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

function ColourSchemeMenu() {
  const { texts } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = [
    { value: 'light', name: texts.light, Icon: SunIcon },
    { value: 'dark', name: texts.dark, Icon: MoonIcon },
    { value: 'auto', name: texts.asSystem, Icon: ScreenIcon },
  ] as const;
  const { Icon: Current } = schemes.find(({ value }) => value === colorScheme) ?? schemes[2];
  return (
    <Menu position="top-end" width={200} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Tooltip label={texts.colourScheme}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={texts.colourScheme}>
            <Current />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
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
