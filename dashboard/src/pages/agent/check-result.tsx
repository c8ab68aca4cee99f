import { Button, Group, Loader, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { Agent, AgentFinding } from '../../../../sdk/src/index.ts';
import { RotateIcon, WarningIcon } from '../../icons.tsx';
import { useLanguage } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import classes from './check-result.module.css';
import { FindingList } from './finding-list.tsx';
import { countOf } from './findings.ts';
import { useAgentTexts } from './texts.ts';
import type { AgentCheckState } from './use-agent-check.ts';

interface CheckResultProps {
  readonly agent: Agent;
  readonly check: AgentCheckState;
  /** What prevents publishing, found by the check or by a rejected publish. */
  readonly errors: readonly AgentFinding[];
  readonly onGo: (path: string) => void;
}

/** What a check has found, or why it could not be made. Nothing if there is nothing to say. */
export function CheckResult({ agent, check, errors, onGo }: CheckResultProps) {
  const texts = useAgentTexts();
  const warnings = check.result?.warnings ?? [];
  return (
    <>
      <CheckStatus check={check} errorCount={countOf(errors)} />
      {errors.length > 0 && (
        <Section tone="bad" title={texts.problems(countOf(errors))} hint={texts.problemsNext}>
          <FindingList agent={agent} findings={errors} onGo={onGo} />
        </Section>
      )}
      {warnings.length > 0 && (
        <Section tone="warn" title={texts.warnings(countOf(warnings))} hint={texts.warningsNext}>
          <FindingList agent={agent} findings={warnings} onGo={onGo} />
        </Section>
      )}
      {check.error !== null && !check.isChecking && <CheckFailure error={check.error} onRetry={check.retry} />}
    </>
  );
}

interface SectionProps {
  readonly tone: 'bad' | 'warn';
  readonly title: string;
  readonly hint: string;
  readonly children: ReactNode;
}

/** Not an alert, which would be read out as a whole, however long: the status says the number. */
function Section({ tone, title, hint, children }: SectionProps) {
  const titleId = useId();
  return (
    <section
      className={classes.section}
      data-tone={tone}
      aria-labelledby={titleId}
      // Problems come first: the dialog starts there.
      tabIndex={tone === 'bad' ? -1 : undefined}
      data-autofocus={tone === 'bad' || undefined}
    >
      <h3 className={classes.title} id={titleId}>
        <WarningIcon size={18} />
        {title}
      </h3>
      <p className={classes.hint}>{hint}</p>
      {children}
    </section>
  );
}

/** Always rendered, so that screen readers announce what changes. */
function CheckStatus({ check, errorCount }: { readonly check: AgentCheckState; readonly errorCount: string }) {
  const texts = useAgentTexts();
  const passed = check.result === null ? null : texts.checkPassed;
  const outcome = errorCount === '0' ? (check.error === null ? passed : texts.checkFailed) : texts.problems(errorCount);
  return (
    <div role="status" className={check.isChecking ? undefined : 'visually-hidden'}>
      {check.isChecking ? (
        <Group gap="xs">
          <Loader size={14} />
          <Text size="sm" c="dimmed">
            {texts.checking}
          </Text>
        </Group>
      ) : (
        outcome
      )}
    </div>
  );
}

function CheckFailure({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => unknown }) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const { title } = describeError(error, shared);
  return (
    <Section tone="warn" title={texts.checkFailed} hint={title}>
      <p className={classes.hint}>{texts.checkFailedNext}</p>
      <Button size="xs" variant="default" mt="xs" leftSection={<RotateIcon size={14} />} onClick={() => onRetry()}>
        {shared.tryAgain}
      </Button>
    </Section>
  );
}
