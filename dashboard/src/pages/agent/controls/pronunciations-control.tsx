import { Button } from '@mantine/core';
import { useState } from 'react';
import { PlusIcon } from '../../../icons.tsx';
import { useLanguage } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import { labelOf } from '../field-texts.ts';
import { placeOf } from '../fields.ts';
import { useAgentTexts } from '../texts.ts';
import type { ControlProps } from './control.ts';
import { RowActions, rowsOf } from './row-actions.tsx';

interface Rule {
  readonly find: string;
  readonly replace: string;
  readonly isRegex?: boolean;
}

const firstShown = 50;

export function PronunciationsControl(props: ControlProps) {
  const { field, id, labelId, describedBy, value, onChange, issues, isReadOnly } = props;
  const texts = useAgentTexts();
  const { format } = useLanguage();
  const [showsAll, setShowsAll] = useState(false);
  const { rows, add, change, remove, move } = rowsOf<Rule>(value, onChange);
  const isCut = !showsAll && Object.keys(issues).length === 0 && rows.length > firstShown;
  const addRule = () => {
    setShowsAll(true);
    add({ find: '', replace: '' });
    // The row does not exist before the next render.
    setTimeout(() => document.getElementById(placeOf(`${field.name}.${rows.length}.find`))?.focus());
  };
  return (
    <fieldset className={classes.group as string} aria-labelledby={labelId} aria-describedby={describedBy}>
      {rows.length === 0 && <p className={classes.empty}>{texts.noRules}</p>}
      <ul className={classes.rules}>
        {(isCut ? rows.slice(0, firstShown) : rows).map((rule, index) => (
          // Rules have no id, so the index is the only stable key.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above.
          <li key={index} className={classes.rule}>
            <RuleTexts {...props} rule={rule} index={index} onChange={(changed) => change(index, changed as Rule)} />
            <RowActions
              name={rule.find || texts.rule(index + 1)}
              index={index}
              count={rows.length}
              isReadOnly={isReadOnly}
              onMove={move}
              onRemove={remove}
            />
            <RuleIssues {...props} index={index} />
          </li>
        ))}
      </ul>
      {isCut && (
        <Button variant="subtle" size="compact-sm" mb="xs" onClick={() => setShowsAll(true)}>
          {texts.showAll(format.number(rows.length))}
        </Button>
      )}
      <div>
        <Button id={id} variant="default" leftSection={<PlusIcon size={16} />} onClick={addRule} disabled={isReadOnly}>
          {texts.addRule}
        </Button>
      </div>
    </fieldset>
  );
}

function RuleTexts({
  field,
  rule,
  index,
  issues,
  isReadOnly,
  onChange,
}: ControlProps & { readonly rule: Rule; readonly index: number }) {
  const texts = useAgentTexts();
  const { language } = useLanguage();
  return (
    <>
      {(['find', 'replace'] as const).map((part) => {
        const path = `${field.name}.${index}.${part}`;
        const label = labelOf(path, language);
        return (
          <input
            key={part}
            id={placeOf(path)}
            className={`${classes.input} ${classes.ruleText}`}
            type="text"
            aria-label={`${texts.rule(index + 1)}: ${label}`}
            aria-invalid={issues[path] && true}
            aria-describedby={issues[path] && `${placeOf(`${field.name}.${index}`)}-issues`}
            placeholder={label}
            value={rule[part]}
            onChange={(event) => onChange({ ...rule, [part]: event.currentTarget.value })}
            readOnly={isReadOnly}
            autoComplete="off"
            spellCheck={false}
          />
        );
      })}
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={rule.isRegex === true}
          onChange={(event) => onChange({ ...rule, isRegex: event.currentTarget.checked })}
          disabled={isReadOnly}
        />
        {labelOf(`${field.name}.isRegex`, language)}
        <span className="visually-hidden"> ({texts.rule(index + 1)})</span>
      </label>
    </>
  );
}

function RuleIssues({ field, issues, index }: ControlProps & { readonly index: number }) {
  const { language } = useLanguage();
  const path = `${field.name}.${index}`;
  const within = Object.entries(issues).filter(([at]) => at.startsWith(`${path}.`));
  if (within.length === 0) return null;
  return (
    <div className={classes.rowIssue} id={`${placeOf(path)}-issues`}>
      {within.map(([at, messages]) => (
        <p key={at} className={classes.issue}>
          {labelOf(at, language)}: {messages.join(' · ')}
        </p>
      ))}
    </div>
  );
}
