import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { WarningIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { State } from './state.tsx';

interface Props {
  readonly children: ReactNode;
  /** Where it is: in another place it begins anew. */
  readonly place?: string;
}

/** A fault of our own, or a page that could not be loaded, does not leave a person before an empty screen. */
export class FaultBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate({ place }: Props) {
    if (this.state.hasFailed && place !== this.props.place) this.setState({ hasFailed: false });
  }

  override render() {
    return this.state.hasFailed ? <Fault /> : this.props.children;
  }
}

function Fault() {
  const { texts } = useLanguage();
  const reload = <Button onClick={() => location.reload()}>{texts.reload}</Button>;
  return (
    <State icon={<WarningIcon />} title={texts.failedPage} actions={reload} isAlert>
      {texts.failedPageNext}
    </State>
  );
}
