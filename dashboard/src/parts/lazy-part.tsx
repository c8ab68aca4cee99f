import { Button, Modal } from '@mantine/core';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { WarningIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { State } from './state.tsx';

interface LazyPartProps {
  readonly children: ReactNode;
  /** While it is loaded. */
  readonly fallback: ReactNode;
  /** The boundary resets when it changes. */
  readonly place?: string;
  /** For a part that opens above the page: called when its failure is dismissed. */
  readonly onClose?: () => void;
}

/** Around a `lazyPart`. If it cannot be loaded, the rest of the page stays, and the user decides when to reload it. */
export function LazyPart({ children, fallback, place, onClose }: LazyPartProps) {
  return (
    <ErrorBoundary instead={<FailedPart onClose={onClose} />} {...(place !== undefined && { place })}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function FailedPart({ onClose }: { readonly onClose: (() => void) | undefined }) {
  const { texts } = useLanguage();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // What had the focus may have been replaced by this message.
    if (document.activeElement === document.body) button.current?.focus();
  }, []);
  const reload = (
    <Button ref={button} data-autofocus onClick={() => location.reload()}>
      {texts.reload}
    </Button>
  );
  const state = (
    <State icon={<WarningIcon />} title={texts.failedPart} actions={reload} isAlert>
      {texts.failedPageNext}
    </State>
  );
  if (onClose === undefined) return state;
  return (
    <Modal opened onClose={onClose} closeButtonProps={{ 'aria-label': texts.close }} aria-label={texts.failedPart}>
      {state}
    </Modal>
  );
}
