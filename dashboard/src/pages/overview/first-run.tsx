import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CheckIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useTrial } from '../../try/try-context.ts';
import { templatesIn } from '../new-agent/template-order.ts';
import classes from './first-run.module.css';
import { firstRunTexts } from './first-run-texts.ts';
import type { FirstRunState, Step } from './use-first-run.ts';

interface FirstRunProps {
  readonly firstRun: Extract<FirstRunState, { state: 'shown' }>;
}

/** The checklist of a new workspace. */
export function FirstRun({ firstRun: { steps, agent, dismiss } }: FirstRunProps) {
  const { format } = useLanguage();
  const texts = useTexts(firstRunTexts);
  const done = steps.filter(({ isDone }) => isDone).length;
  const end = (
    <Button size="compact-sm" variant="subtle" color="gray" onClick={dismiss}>
      {texts.dismiss}
    </Button>
  );
  return (
    <div className={classes.place}>
      <Card title={texts.title} actions={end}>
        <Text size="sm" c="dimmed">
          {texts.progress(format.number(done), format.number(steps.length))}
        </Text>
        <ol className={classes.steps}>
          {steps.map((step, index) => (
            <StepItem key={step.name} step={step} number={format.number(index + 1)}>
              {step.name === 'agent' && <Templates />}
              {step.name === 'talk' && <Talk agent={agent} />}
              {step.name === 'model' && (
                <GuardedButton scope="calls:read" href="/settings/providers" size="xs" variant="default">
                  {texts.modelDo}
                </GuardedButton>
              )}
              {step.name === 'webhook' && (
                <GuardedButton scope="webhooks:write" href="/webhooks?new" size="xs" variant="default">
                  {texts.webhookDo}
                </GuardedButton>
              )}
            </StepItem>
          ))}
        </ol>
      </Card>
    </div>
  );
}

interface StepItemProps {
  readonly step: Step;
  readonly number: string;
  readonly children: ReactNode;
}

/** What is done needs no explanation any more. */
function StepItem({ step: { name, isDone }, number, children }: StepItemProps) {
  const texts = useTexts(firstRunTexts);
  return (
    <li className={classes.step} data-is-done={isDone || undefined}>
      <span className={classes.sign} aria-hidden="true">
        {isDone ? <CheckIcon size={16} /> : number}
      </span>
      <div className={classes.text}>
        <h3 className={classes.name}>
          {texts[name]}
          {isDone && <span className="visually-hidden"> ({texts.done})</span>}
        </h3>
        {!isDone && (
          <>
            <p className={classes.about}>{texts[`${name}Text`]}</p>
            <div className={classes.actions}>{children}</div>
          </>
        )}
      </div>
    </li>
  );
}

function Templates() {
  const texts = useTexts(firstRunTexts);
  const { language } = useLanguage();
  return templatesIn(language).map((template) => (
    <GuardedButton
      key={template}
      scope="agents:write"
      href={`/agents/new?template=${template}`}
      size="xs"
      variant="default"
    >
      {texts[template]}
    </GuardedButton>
  ));
}

function Talk({ agent }: { readonly agent: { readonly id: string; readonly name: string } | null }) {
  const texts = useTexts(firstRunTexts);
  const { open } = useTrial();
  if (agent === null) return <span className={classes.about}>{texts.talkLater}</span>;
  return (
    <GuardedButton scope="calls:write" size="xs" variant="default" onClick={() => open(agent)}>
      {texts.talkDo(agent.name)}
    </GuardedButton>
  );
}
