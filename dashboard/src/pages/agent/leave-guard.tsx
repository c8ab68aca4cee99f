import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { askBeforeBack } from '../../back-button.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useSession } from '../../session/use-session.ts';
import { useAgentTexts } from './texts.ts';

interface LeaveGuardProps {
  readonly count: number;
  /** The path of the form. Changes are kept below it, such as on the tabs of an agent. */
  readonly within: string;
}

/** Asks before unsaved changes are lost by a link, the back button, closing the tab or signing out. */
export function LeaveGuard({ count, within }: LeaveGuardProps) {
  const texts = useAgentTexts();
  const [path, navigate] = useLocation();
  const href = useRef(location.href);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the path changes.
  useEffect(() => {
    href.current = location.href;
  }, [path]);
  const { guard } = useSession();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const isLeaving = useRef(false);
  const isGuarded = count > 0;
  useEffect(() => {
    if (!isGuarded) return;
    isLeaving.current = false;
    const ask = (go: () => void) => setLeave(() => go);
    const endGuard = guard(ask);
    const stays = (to: string) => to === within || to.startsWith(`${within}/`);
    const endWatch = watchLeaving(
      { isLeaving: () => isLeaving.current, href: () => href.current, stays },
      navigate,
      ask,
    );
    return () => {
      endGuard();
      endWatch();
    };
  }, [isGuarded, within, navigate, guard]);
  const go = () => {
    isLeaving.current = true;
    leave?.();
    setLeave(null);
  };
  if (leave === null) return null;
  return (
    <Dialog onClose={() => setLeave(null)} title={texts.leaveTitle}>
      <Text mb="lg">{texts.leaveText(count)}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={go}>
          {texts.leave}
        </Button>
        <Button onClick={() => setLeave(null)} data-autofocus>
          {texts.stay}
        </Button>
      </Group>
    </Dialog>
  );
}

interface Place {
  readonly isLeaving: () => boolean;
  /** The address of the page, before the back button changes it. */
  readonly href: () => string;
  readonly stays: (path: string) => boolean;
}

function watchLeaving(
  { isLeaving, href, stays }: Place,
  navigate: (to: string) => void,
  ask: (go: () => void) => void,
) {
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || isLeaving() || !opensHere(event, link)) return;
    const url = new URL(link.href);
    if (stays(url.pathname) && url.origin === location.origin) return;
    event.preventDefault();
    event.stopPropagation();
    // The API reference is a separate page outside of the dashboard.
    const isOurs = url.origin === location.origin && !url.pathname.startsWith('/docs');
    ask(() => (isOurs ? navigate(`${url.pathname}${url.search}${url.hash}`) : location.assign(url)));
  };
  const endAsking = askBeforeBack(() => {
    if (isLeaving() || stays(location.pathname)) return false;
    // Browser navigation cannot be prevented, so the URL is restored before other listeners see it.
    history.pushState(null, '', href());
    ask(() => history.back());
    return true;
  });
  const onBeforeUnload = (event: BeforeUnloadEvent) => {
    if (!isLeaving()) event.preventDefault();
  };
  document.addEventListener('click', onClick, true);
  addEventListener('beforeunload', onBeforeUnload);
  return () => {
    document.removeEventListener('click', onClick, true);
    endAsking();
    removeEventListener('beforeunload', onBeforeUnload);
  };
}

/** Not in a new tab, and not a download. */
function opensHere(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  return isPlain && (link.target === '' || link.target === '_self') && !link.hasAttribute('download');
}
