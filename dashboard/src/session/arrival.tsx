import { Button } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { RotateIcon, WarningIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { PageSkeleton } from '../parts/page-skeleton.tsx';
import { State } from '../parts/state.tsx';
import type { SignInReason } from './sign-in.tsx';
import { exchangeCode } from './sign-in-link.ts';
import { askOpenTabs } from './tabs.ts';

interface ArrivalProps {
  readonly signInCode: string | null;
  /** Called with the key, or with null and why the user has to sign in. */
  readonly onArrived: (key: string | null, reason: SignInReason) => void;
}

/** A tab that has no key yet: exchanges the code of a sign-in link, or asks the tabs that are open. */
export function Arrival({ signInCode, onArrived }: ArrivalProps) {
  const { texts } = useLanguage();
  const [hasFailed, setHasFailed] = useState(false);
  const arrived = useRef(onArrived);
  arrived.current = onArrived;
  const arrive = useCallback(async () => {
    setHasFailed(false);
    const exchange = signInCode === null ? null : await exchangeCode(signInCode);
    if (exchange === 'failed') setHasFailed(true);
    else if (exchange !== null && exchange !== 'refused') arrived.current(exchange.key, null);
    else arrived.current(await askOpenTabs(), exchange === 'refused' ? 'link-refused' : null);
  }, [signInCode]);
  useEffect(() => {
    arrive();
  }, [arrive]);
  if (!hasFailed) return <PageSkeleton isWhole />;
  const retry = (
    <Button variant="default" leftSection={<RotateIcon size={16} />} onClick={arrive}>
      {texts.tryAgain}
    </Button>
  );
  return (
    <State icon={<WarningIcon />} title={texts.signInLinkFailed} actions={retry} isAlert isWhole>
      {texts.signInLinkFailedNext}
    </State>
  );
}
