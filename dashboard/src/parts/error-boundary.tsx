import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { WarningIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { State } from './state.tsx';

interface Props {
  readonly children: ReactNode;
  /** The location: the boundary resets when it changes. */
  readonly place?: string;
  /** Shown instead of the message for a page. */
  readonly instead?: ReactNode;
}

/** Shows a message instead of an empty screen after an error in our code, or if a page could not be loaded. */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate({ place }: Props) {
    if (this.state.hasFailed && place !== this.props.place) this.setState({ hasFailed: false });
  }

  override render() {
    const { children, instead = <FailedPage /> } = this.props;
    return this.state.hasFailed ? instead : children;
  }
}

function FailedPage() {
  const { texts } = useLanguage();
  const reload = <Button onClick={() => location.reload()}>{texts.reload}</Button>;
  return (
    <State icon={<WarningIcon />} title={texts.failedPage} actions={reload} isAlert>
      {texts.failedPageNext}
    </State>
  );
}
