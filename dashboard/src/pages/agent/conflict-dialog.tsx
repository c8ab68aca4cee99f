import { Button, Radio, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useLanguage } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import dialog from '../../parts/dialog.module.css';
import { Dialog } from '../../parts/dialog.tsx';
import sides from './compared-value.module.css';
import { FieldTitle, isLineWise, LineDiff, ValueBox } from './compared-value.tsx';
import classes from './conflict-dialog.module.css';
import { labelOf } from './field-texts.ts';
import type { Field } from './fields.ts';
import { compareThree, merge, type Side } from './merge.ts';
import { StateBadge } from './state-badge.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import { type Values, valuesOf } from './values.ts';

interface ConflictDialogProps {
  readonly base: Values;
  readonly mine: Values;
  readonly theirs: StoredAgent;
  readonly onClose: () => void;
  /** Puts the values into the form to continue editing. */
  readonly onAdopt: (values: Values) => void;
  readonly onSave: (values: Values) => void;
}

/** The original, their and my value of each field. */
export function ConflictDialog({ base, mine, theirs, onClose, onAdopt, onSave }: ConflictDialogProps) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const [choices, setChoices] = useState<Readonly<Record<string, Side>>>({});
  const theirValues = valuesOf(theirs.agent);
  const { conflicting, onlyTheirs, onlyMine } = compareThree(base, theirValues, mine);
  const merged = merge(base, theirValues, mine, choices);
  return (
    <Dialog onClose={onClose} title={texts.conflictTitle} size="56rem" fullScreen={isNarrow}>
      <Text>{texts.conflictText}</Text>
      <Text size="sm" c="dimmed" mt={4}>
        {texts.conflictSavedAt}
        {shared.colon}
        <Ago at={theirs.agent.updatedAt} /> · <StateBadge agent={theirs.agent} />
      </Text>
      {conflicting.length === 0 ? (
        <Text mt="md">{texts.conflictNone}</Text>
      ) : (
        <section>
          <Title order={3} className={classes.sectionTitle as string}>
            {texts.conflictChoose}
          </Title>
          {conflicting.map((field) => (
            <Choice
              key={field.name}
              field={field}
              base={base[field.name]}
              theirs={theirValues[field.name]}
              mine={mine[field.name]}
              side={choices[field.name] ?? 'mine'}
              onChoose={(side) => setChoices({ ...choices, [field.name]: side })}
            />
          ))}
        </section>
      )}
      <Changes title={texts.conflictTheirs} fields={onlyTheirs} before={base} after={theirValues} />
      <Changes title={texts.conflictMine} fields={onlyMine} before={base} after={mine} />
      <Text size="sm" c="dimmed" mt="md">
        {texts.overwriteHint}
      </Text>
      <div className={dialog.foot}>
        <Button variant="subtle" color="gray" onClick={() => onAdopt(theirValues)}>
          {texts.takeAllTheirs}
        </Button>
        <Button variant="subtle" color="var(--app-bad)" onClick={() => onSave(mine)}>
          {texts.overwriteAll}
        </Button>
        <Button variant="default" onClick={() => onAdopt(merged)}>
          {texts.backToForm}
        </Button>
        <Button onClick={() => onSave(merged)} data-autofocus>
          {texts.saveMerged}
        </Button>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly field: Field;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
  readonly side: Side;
  readonly onChoose: (side: Side) => void;
}

function Choice({ field, base, theirs, mine, side, onChoose }: ChoiceProps) {
  const texts = useAgentTexts();
  const { language } = useLanguage();
  const options = [
    { name: 'theirs', value: theirs, label: texts.useTheirs },
    { name: 'mine', value: mine, label: texts.useMine },
  ] as const;
  return (
    <div className={sides.field} data-conflict={field.name}>
      <FieldTitle field={field} order={4} />
      {!isLineWise(base, theirs, mine) && (
        <div style={{ marginBottom: '0.6rem' }}>
          <div className={sides.sideLabel}>{texts.before}</div>
          <ValueBox field={field} value={base} />
        </div>
      )}
      <div className={classes.choices} role="radiogroup" aria-label={labelOf(field.name, language)}>
        {options.map(({ name, value, label }) => (
          <div key={name} className={classes.choice} data-is-chosen={side === name || undefined}>
            <Radio
              name={`side-${field.name}`}
              label={label}
              checked={side === name}
              onChange={() => onChoose(name)}
              size="xs"
            />
            {isLineWise(base, value) ? (
              <LineDiff before={base} after={value} />
            ) : (
              <ValueBox field={field} value={value} />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

interface ChangesProps {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly before: Values;
  readonly after: Values;
}

function Changes({ title, fields, before, after }: ChangesProps) {
  if (fields.length === 0) return null;
  return (
    <section>
      <Title order={3} className={classes.sectionTitle as string}>
        {title}
      </Title>
      {fields.map((field) => (
        <div key={field.name} className={sides.field}>
          <FieldTitle field={field} order={4} />
          <BeforeAndAfter field={field} before={before[field.name]} after={after[field.name]} />
        </div>
      ))}
    </section>
  );
}

export function BeforeAndAfter({
  field,
  before,
  after,
}: {
  readonly field: Field;
  readonly before: unknown;
  readonly after: unknown;
}) {
  if (isLineWise(before, after)) return <LineDiff before={before} after={after} />;
  return (
    <div className={sides.sides}>
      <ValueBox field={field} value={before} tone="removed" />
      <ValueBox field={field} value={after} tone="added" />
    </div>
  );
}
