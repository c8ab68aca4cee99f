import { AppShell, Burger, Loader, Text, Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { BookIcon, ExternalIcon, LockIcon, Logo } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { lazyPart } from '../lazy-page.ts';
import { type NavigationPage, navigation } from '../pages.ts';
import { LazyPart } from '../parts/lazy-part.tsx';
import { useIsCovering } from '../parts/narrow.ts';
import { useScope } from '../session/use-session.ts';
import { tryTexts } from '../try/texts.ts';
import { type TriedAgent, useTrial } from '../try/try-context.ts';
import { Account } from './account.tsx';
import { Announcer } from './announcer.tsx';
import { ColorSchemeMenu, LanguageMenu } from './preferences.tsx';
import { SearchButton } from './search-button.tsx';
import classes from './shell.module.css';
import { usePalette } from './use-palette.ts';

const Palette = lazyPart(async () => (await import('../palette/palette.tsx')).Palette);
const TryPanel = lazyPart(async () => (await import('../try/try-panel.tsx')).TryPanel);

/** The frame around every page: navigation, workspace and preferences. */
export function Shell({ children }: { children: ReactNode }) {
  const { texts } = useLanguage();
  const [path] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  const main = useArrival(path, () => setIsOpen(false));
  const { agent } = useTrial();
  const palette = usePalette();
  // There the panel covers everything else.
  const isSmall = useIsCovering();
  const isCovered = isSmall && agent !== null;
  // The flow editor needs the room of the navigation, which is one page back.
  const isFull = /^\/agents\/[^/]+\/flow$/.test(path);
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen, desktop: isFull } }}
      aside={{ width: 400, breakpoint: 600, collapsed: { desktop: agent === null, mobile: agent === null } }}
      padding={0}
      transitionDuration={150}
    >
      <a href="#content" className={classes.skip}>
        {texts.skipToContent}
      </a>
      <Announcer />
      <AppShell.Header hiddenFrom="sm" className={classes.header} inert={isCovered}>
        <Burger
          opened={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          size="sm"
          aria-expanded={isOpen}
          aria-label={isOpen ? texts.closeNavigation : texts.openNavigation}
        />
        <Brand />
        <SearchButton onOpen={palette.open} isSmall />
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} inert={isCovered || (isFull && !isOpen)}>
        <AppShell.Section visibleFrom="sm" className={classes.brandPlace}>
          <Brand />
        </AppShell.Section>
        <AppShell.Section>
          <Account />
        </AppShell.Section>
        <AppShell.Section>
          <SearchButton onOpen={palette.open} />
        </AppShell.Section>
        <AppShell.Section grow className={classes.middle as string}>
          <Navigation path={path} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} ref={main} inert={isCovered}>
        <div className={classes.page} data-is-full={isFull || undefined}>
          <div className={classes.content}>{children}</div>
        </div>
      </AppShell.Main>
      {agent !== null && <Trial agent={agent} />}
      {palette.isOpen && (
        <LazyPart fallback={null} onClose={palette.close}>
          <Palette onClose={palette.close} />
        </LazyPart>
      )}
    </AppShell>
  );
}

/** Docked at the side, so that the page stays usable. */
function Trial({ agent }: { readonly agent: TriedAgent }) {
  const texts = useTexts(tryTexts);
  const { close } = useTrial();
  return (
    <AppShell.Aside className={classes.aside} aria-label={texts.panel(agent.name)} data-is-trial>
      <LazyPart fallback={<Loader m="auto" size="sm" />} onClose={close}>
        <TryPanel key={`${agent.id} ${agent.startSkillId ?? ''}`} agent={agent} />
      </LazyPart>
    </AppShell.Aside>
  );
}

/** Moves the focus to the start of the page after navigation, but not on the first page, where the browser does it. */
function useArrival(path: string, onArrive: () => void) {
  const main = useRef<HTMLElement>(null);
  const last = useRef(path);
  const arrive = useRef(onArrive);
  arrive.current = onArrive;
  useEffect(() => {
    if (last.current === path) return;
    const isTab = pageOf(last.current) === pageOf(path);
    last.current = path;
    arrive.current();
    if (!isTab) main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  return main;
}

/** The tabs of an agent are one page: the focus stays on the tab. The editor of its flow is another. */
function pageOf(path: string): string {
  return path.replace(/^(\/agents\/[^/]+)\/(?!flow$).*$/, '$1');
}

function Brand() {
  const { texts } = useLanguage();
  return (
    <Link href="/overview" className={classes.brand}>
      <Logo size={24} />
      <Text component="span" fw={650} size="lg">
        {texts.product}
      </Text>
    </Link>
  );
}

function Navigation({ path }: { readonly path: string }) {
  const { texts } = useLanguage();
  const itemsOf = (group: NavigationPage['group']) =>
    navigation.filter((page) => page.group === group).map((page) => <Item key={page.path} path={path} page={page} />);
  return (
    <nav aria-label={texts.navigation} className={classes.navigation}>
      {itemsOf('main')}
      <h2 className={classes.group}>{texts.develop}</h2>
      {itemsOf('develop')}
      <a href="/docs/" className={classes.item}>
        <BookIcon />
        <span className={classes.label}>{texts.reference}</span>
        <ExternalIcon size={14} />
      </a>
      <h2 className={classes.group}>{texts.settings}</h2>
      {itemsOf('settings')}
      <LanguageMenu isItem />
      <ColorSchemeMenu isItem />
    </nav>
  );
}

interface ItemProps {
  /** Where the user is. */
  readonly path: string;
  readonly page: NavigationPage;
}

/** Pages that the key may not see are marked with the reason; the page itself explains it in detail. */
function Item({ path, page: { path: href, name, Icon, scope } }: ItemProps) {
  const { language } = useLanguage();
  const { isAllowed, reason } = useScope(scope);
  const isHere = path === href || path.startsWith(`${href}/`);
  return (
    <Tooltip label={reason} disabled={isAllowed} position="right">
      <Link
        href={href}
        className={classes.item as string}
        aria-current={isHere ? 'page' : undefined}
        data-is-barred={isAllowed ? undefined : true}
      >
        <Icon />
        <span className={classes.label}>
          {name[language]}
          {!isAllowed && <span className="visually-hidden"> ({reason})</span>}
        </span>
        {!isAllowed && <LockIcon size={14} />}
      </Link>
    </Tooltip>
  );
}
