import { useLanguage } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import { useAgentTexts } from '../texts.ts';
import { type ControlProps, inputProps } from './control.ts';

/** An empty input means "not set" if the field allows it. */
export function fromText(text: string, { field: { rules } }: ControlProps): unknown {
  if (text !== '') return text;
  if (rules.isNullable) return null;
  return rules.isOptional ? undefined : '';
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function TextControl(props: ControlProps) {
  const { value, onChange, isReadOnly } = props;
  return (
    <input
      {...inputProps(props)}
      className={classes.input}
      type="text"
      value={textOf(value)}
      onChange={(event) => onChange(fromText(event.currentTarget.value, props))}
      readOnly={isReadOnly}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

export function LongTextControl(props: ControlProps) {
  return <Area {...props} rows={2} className={classes.input as string} />;
}

export function PromptControl(props: ControlProps) {
  const texts = useAgentTexts();
  const { format } = useLanguage();
  return (
    <>
      <Area {...props} rows={8} className={`${classes.input} ${classes.prompt}`} />
      <p className={classes.count}>{texts.characters(format.number([...textOf(props.value)].length))}</p>
    </>
  );
}

function Area({ rows, className, ...props }: ControlProps & { readonly rows: number; readonly className: string }) {
  return (
    <textarea
      {...inputProps(props)}
      className={className}
      rows={rows}
      value={textOf(props.value)}
      onChange={(event) => props.onChange(fromText(event.currentTarget.value, props))}
      readOnly={props.isReadOnly}
    />
  );
}
