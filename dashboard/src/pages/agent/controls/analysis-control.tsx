import { Button } from '@mantine/core';
import { PlusIcon } from '../../../icons.tsx';
import { useLanguage } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import { labelOf, optionLabel } from '../field-texts.ts';
import { placeOf } from '../fields.ts';
import { useAgentTexts } from '../texts.ts';
import type { ControlProps } from './control.ts';
import { RowActions, rowsOf } from './row-actions.tsx';
import { Words } from './words-control.tsx';

interface Finding {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly options?: readonly string[];
}

export function AnalysisControl(props: ControlProps) {
  const { field, id, labelId, describedBy, value, onChange, isReadOnly } = props;
  const texts = useAgentTexts();
  const { rows, add, change, remove, move } = rowsOf<Finding>(value, onChange);
  const addFinding = () => {
    add({ name: '', type: field.rules.item?.parts?.type?.options?.[0] ?? 'string', description: '' });
    setTimeout(() => document.getElementById(placeOf(`${field.name}.${rows.length}.name`))?.focus());
  };
  return (
    <fieldset className={classes.group as string} aria-labelledby={labelId} aria-describedby={describedBy}>
      {rows.length === 0 && <p className={classes.empty}>{texts.noAnalysis}</p>}
      <ul className={classes.findings}>
        {rows.map((finding, index) => (
          // Names may be empty or duplicated while editing, so the index is the only stable key.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above.
          <li key={index} className={classes.finding} aria-label={texts.analysisField(index + 1)}>
            <div className={classes.findingHead}>
              <NameOf
                {...props}
                finding={finding}
                index={index}
                onChange={(changed) => change(index, changed as Finding)}
              />
              <TypeOf
                {...props}
                finding={finding}
                index={index}
                onChange={(changed) => change(index, changed as Finding)}
              />
              <RowActions
                name={finding.name || texts.analysisField(index + 1)}
                index={index}
                count={rows.length}
                isReadOnly={isReadOnly}
                onMove={move}
                onRemove={remove}
              />
            </div>
            <DescriptionOf
              {...props}
              finding={finding}
              index={index}
              onChange={(changed) => change(index, changed as Finding)}
            />
            {(finding.type === 'enum' || finding.options !== undefined) && (
              <OptionsOf
                {...props}
                finding={finding}
                index={index}
                onChange={(changed) => change(index, changed as Finding)}
              />
            )}
          </li>
        ))}
      </ul>
      <Button id={id} variant="default" leftSection={<PlusIcon size={16} />} onClick={addFinding} disabled={isReadOnly}>
        {texts.addAnalysis}
      </Button>
    </fieldset>
  );
}

interface PartProps extends ControlProps {
  readonly finding: Finding;
  readonly index: number;
}

/** The common props of the inputs of one part. */
function partOf({ field, index, issues }: PartProps, part: keyof Finding) {
  const path = `${field.name}.${index}.${part}`;
  const messages = issues[path];
  const issuesId = `${placeOf(path)}-issues`;
  const attributes = {
    id: placeOf(path),
    className: classes.input,
    'aria-invalid': messages && true,
    'aria-describedby': messages && issuesId,
  };
  const shownIssues = messages && (
    <p id={issuesId} className={classes.issue}>
      {messages.join(' · ')}
    </p>
  );
  return { path, attributes, shownIssues };
}

function NameOf(props: PartProps) {
  const { language } = useLanguage();
  const { finding, onChange, isReadOnly } = props;
  const { path, attributes, shownIssues } = partOf(props, 'name');
  return (
    <div>
      <label className={classes.partLabel} htmlFor={attributes.id}>
        {labelOf(path, language)}
      </label>
      <input
        {...attributes}
        type="text"
        value={finding.name}
        onChange={(event) => onChange({ ...finding, name: event.currentTarget.value })}
        readOnly={isReadOnly}
        autoComplete="off"
        spellCheck={false}
      />
      {shownIssues}
    </div>
  );
}

function TypeOf(props: PartProps) {
  const { language } = useLanguage();
  const { field, finding, onChange, isReadOnly } = props;
  const { path, attributes, shownIssues } = partOf(props, 'type');
  return (
    <div>
      <label className={classes.partLabel} htmlFor={attributes.id}>
        {labelOf(path, language)}
      </label>
      <select
        {...attributes}
        value={finding.type}
        onChange={(event) => onChange({ ...finding, type: event.currentTarget.value })}
        disabled={isReadOnly}
      >
        {field.rules.item?.parts?.type?.options?.map((option) => (
          <option key={option} value={option}>
            {optionLabel(option, language)}
          </option>
        ))}
      </select>
      {shownIssues}
    </div>
  );
}

function DescriptionOf(props: PartProps) {
  const { language } = useLanguage();
  const { finding, onChange, isReadOnly } = props;
  const { path, attributes, shownIssues } = partOf(props, 'description');
  return (
    <div>
      <label className={classes.partLabel} htmlFor={attributes.id}>
        {labelOf(path, language)}
      </label>
      <textarea
        {...attributes}
        rows={2}
        value={finding.description}
        onChange={(event) => onChange({ ...finding, description: event.currentTarget.value })}
        readOnly={isReadOnly}
      />
      {shownIssues}
    </div>
  );
}

function OptionsOf(props: PartProps) {
  const { language } = useLanguage();
  const { finding, issues, onChange, isReadOnly } = props;
  const { path, attributes, shownIssues } = partOf(props, 'options');
  const within = Object.entries(issues).filter(([at]) => at.startsWith(`${path}.`));
  const labelId = `${attributes.id}-label`;
  return (
    <div>
      <span className={classes.partLabel} id={labelId}>
        {labelOf(path, language)}
      </span>
      <Words
        words={finding.options ?? []}
        onChange={(options) => onChange(withOptions(finding, options))}
        label={labelOf(path, language)}
        labelId={labelId}
        path={path}
        issues={Object.fromEntries(within)}
        isOrdered
        isReadOnly={isReadOnly}
        input={{ ...attributes, 'aria-required': undefined, 'aria-describedby': attributes['aria-describedby'] ?? '' }}
      />
      {shownIssues}
    </div>
  );
}

function withOptions({ options: _, ...finding }: Finding, options: readonly string[]): Finding {
  return options.length === 0 ? finding : { ...finding, options };
}
