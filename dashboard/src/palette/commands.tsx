import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import { BookIcon, GlobeIcon, MoonIcon, PlusIcon, SignOutIcon, SunIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { navigation } from '../pages.ts';
import { type Scope, useSession } from '../session/use-session.ts';
import { paletteTexts } from './texts.ts';

export interface Command {
  readonly id: string;
  readonly label: string;
  /** Other words that people search for. */
  readonly words?: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

interface CommandGroup {
  readonly label: string;
  readonly commands: readonly Command[];
}

/** Pages and actions that the key may use. */
export function useCommands(): readonly CommandGroup[] {
  const { texts: shared, language, setLanguage } = useLanguage();
  const texts = useTexts(paletteTexts);
  const { whoami, signOut } = useSession();
  const [, navigate] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  return useMemo(() => {
    const to = (href: string, label: string, icon: ReactNode, scope: Scope, words = '') =>
      whoami.scopes.includes(scope) ? [{ id: href, label, words, icon, run: () => navigate(href) }] : [];
    const pages = [
      ...navigation.flatMap(({ path, name, Icon, scope }) => to(path, name[language], <Icon />, scope)),
      { id: '/docs/', label: shared.reference, icon: <BookIcon />, run: () => location.assign('/docs/') },
    ];
    const isDark = scheme === 'dark';
    const actions = [
      ...to('/agents/new', texts.newAgent, <PlusIcon />, 'agents:write', texts.newAgentWords),
      ...to('/keys?new', texts.newKey, <PlusIcon />, 'keys:write', texts.newKeyWords),
      ...to('/numbers?new', texts.newNumber, <PlusIcon />, 'phone-numbers:write', texts.newNumberWords),
      ...to('/knowledge?new', texts.newKnowledge, <PlusIcon />, 'knowledge:write', texts.newKnowledgeWords),
      ...to('/workflows/new', texts.newWorkflow, <PlusIcon />, 'workflows:write', texts.newWorkflowWords),
      ...to('/webhooks?new', texts.newWebhook, <PlusIcon />, 'webhooks:write', texts.newWebhookWords),
      {
        id: 'theme',
        label: isDark ? texts.toLight : texts.toDark,
        icon: isDark ? <SunIcon /> : <MoonIcon />,
        run: () => setColorScheme(isDark ? 'light' : 'dark'),
      },
      {
        id: 'language',
        label: texts.otherLanguage,
        icon: <GlobeIcon />,
        run: () => setLanguage(language === 'en' ? 'ja' : 'en'),
      },
      { id: 'sign-out', label: texts.signOut, icon: <SignOutIcon />, run: signOut },
    ];
    return [
      { label: texts.pages, commands: pages },
      { label: texts.actions, commands: actions },
    ];
  }, [shared, texts, language, setLanguage, whoami, signOut, navigate, scheme, setColorScheme]);
}
