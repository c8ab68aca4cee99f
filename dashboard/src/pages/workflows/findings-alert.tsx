import { Alert, Anchor, UnstyledButton } from '@mantine/core';
import { Link } from 'wouter';
import { WarningIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import type { Step } from '../../workflows/definition.ts';
import type { Finding } from '../../workflows/findings.ts';
import { useWorkflowTexts } from '../../workflows/texts.ts';
import { useAgentTexts } from '../agent/texts.ts';
import { workflowsTexts } from './texts.ts';
import classes from './workflows.module.css';

interface FindingsAlertProps {
  readonly findings: readonly Finding[];
  readonly steps: readonly Step[];
  readonly onGo: (finding: Finding) => void;
}

/** Why it was not saved or tested, each with a way to its place. */
export function FindingsAlert({ findings, steps, onGo }: FindingsAlertProps) {
  const texts = useTexts(workflowsTexts);
  const words = useWorkflowTexts();
  const { saidByService } = useAgentTexts();
  if (findings.length === 0) return null;
  const nameOf = ({ part, path }: Finding) => {
    const first = part === null ? null : part === 'trigger' ? words.trigger : (steps[part]?.id ?? String(part));
    return [first, path].filter((name) => name !== null && name !== '').join('.');
  };
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<WarningIcon />}
      title={texts.problemsTitle(findings.length)}
      mb="md"
    >
      <ul className={classes.findings}>
        {findings.map((finding) => (
          <li key={JSON.stringify(finding)}>
            <UnstyledButton className={classes.finding as string} onClick={() => onGo(finding)}>
              <code>{nameOf(finding)}</code>
            </UnstyledButton>{' '}
            {saidByService(finding.message)}
          </li>
        ))}
      </ul>
      {findings.some(({ message }) => isMissingSecret(message)) && (
        // In another tab: the workflow is not saved.
        <Anchor component={Link} href="/secrets" target="_blank" size="sm" underline="always">
          {texts.addSecrets}
        </Anchor>
      )}
    </Alert>
  );
}

function isMissingSecret(message: string): boolean {
  return /^uses the secret .+, which does not exist$/.test(message);
}
