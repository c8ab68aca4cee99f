import { Button, Radio, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useTexts } from '../../language/language.tsx';
import dialog from '../../parts/dialog.module.css';
import { Dialog } from '../../parts/dialog.tsx';
import { valuesOf, type WorkflowValues } from '../../workflows/definition.ts';
import { LineDiff } from '../agent/compared-value.tsx';
import { useAgentTexts } from '../agent/texts.ts';
import { workflowsTexts } from './texts.ts';
import type { StoredWorkflow } from './use-workflows.ts';
import { changedValues, isSameValue, mergedValues, type ValueName } from './workflow-draft.ts';
import classes from './workflows.module.css';

interface ConflictDialogProps {
  readonly base: WorkflowValues;
  readonly mine: WorkflowValues;
  readonly theirs: StoredWorkflow;
  readonly onClose: () => void;
  /** Puts the values into the form to continue editing. */
  readonly onAdopt: (values: WorkflowValues) => void;
  readonly onSave: (values: WorkflowValues) => void;
}

/** What someone else has saved meanwhile, next to what is in the form. */
export function ConflictDialog({ base, mine, theirs, onClose, onAdopt, onSave }: ConflictDialogProps) {
  const texts = useTexts(workflowsTexts);
  const shared = useAgentTexts();
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const [choices, setChoices] = useState<Partial<Record<ValueName, 'mine' | 'theirs'>>>({});
  const theirValues = valuesOf(theirs.workflow);
  const theirNames = changedValues(base, theirValues);
  const myNames = changedValues(base, mine);
  const both = myNames.filter((name) => theirNames.includes(name) && !isSameValue(name, theirValues, mine));
  const merged = mergedValues(base, theirValues, mine, choices);
  return (
    <Dialog onClose={onClose} title={texts.conflictTitle} size="56rem" fullScreen={isNarrow}>
      <Text>{texts.conflictText(String(theirs.workflow.version))}</Text>
      {both.map((name) => (
        <fieldset key={name} className={classes.side}>
          <legend>{texts[`part_${name}`]}</legend>
          <LineDiff before={theirValues[name]} after={mine[name]} />
          <Radio.Group
            aria-label={texts[`part_${name}`]}
            value={choices[name] ?? 'mine'}
            onChange={(side) => setChoices({ ...choices, [name]: side as 'mine' | 'theirs' })}
          >
            <div className={classes.radios}>
              <Radio value="theirs" label={shared.useTheirs} />
              <Radio value="mine" label={shared.useMine} />
            </div>
          </Radio.Group>
        </fieldset>
      ))}
      {theirNames
        .filter((name) => !both.includes(name))
        .map((name) => (
          <section key={name} className={classes.side} aria-label={texts[`part_${name}`]}>
            <Text fw={600} size="sm">
              {texts.theirChange(texts[`part_${name}`])}
            </Text>
            <LineDiff before={base[name]} after={theirValues[name]} />
          </section>
        ))}
      <div className={dialog.foot}>
        <Button variant="subtle" color="gray" onClick={() => onAdopt(theirValues)}>
          {shared.takeAllTheirs}
        </Button>
        <Button variant="default" onClick={() => onAdopt(merged)}>
          {shared.backToForm}
        </Button>
        <Button onClick={() => onSave(merged)} data-autofocus>
          {shared.saveMerged}
        </Button>
      </div>
    </Dialog>
  );
}
