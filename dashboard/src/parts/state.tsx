import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './state.module.css';

interface StateProps {
  readonly icon: ReactNode;
  /** Omitted if the page itself has this title. */
  readonly title?: string;
  readonly children?: ReactNode;
  /** What to do next. */
  readonly actions?: ReactNode;
  readonly isAlert?: boolean;
  /** Whether it fills the whole screen. */
  readonly isWhole?: boolean;
}

/** An empty or error state. */
export function State({ icon, title, children, actions, isAlert = false, isWhole = false }: StateProps) {
  const state = (
    <div className={classes.state} role={isAlert ? 'alert' : undefined}>
      <Stack align="center" gap="xs">
        <div className={classes.icon}>{icon}</div>
        {title !== undefined && (
          <Title order={2} className={classes.title}>
            {title}
          </Title>
        )}
        <Text component="div" c="dimmed" ta="center" maw={420}>
          {children}
        </Text>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </Stack>
    </div>
  );
  return isWhole ? <main className={classes.whole}>{state}</main> : state;
}
