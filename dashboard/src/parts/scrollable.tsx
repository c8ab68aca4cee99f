import type { ReactNode } from 'react';

interface ScrollableProps {
  /** What it contains, for screen readers. */
  readonly label: string;
  readonly className: string | undefined;
  readonly isWhole?: boolean;
  readonly children: ReactNode;
}

/** A part of a page that scrolls by itself. It is no landmark: there may be several with the same name. */
export function Scrollable({ label, className, isWhole = false, children }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need to scroll it.
    <div role="group" aria-label={label} tabIndex={0} className={className} data-is-whole={isWhole || undefined}>
      {children}
    </div>
  );
}
