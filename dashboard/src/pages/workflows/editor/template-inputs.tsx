import { useState } from 'react';
import { useLanguage } from '../../../language/language.tsx';
import inputs from '../../../parts/form-inputs.module.css';
import { attributes, type InputProps, Labelled } from '../../../parts/form-inputs.tsx';
import { TemplateText } from './template-text.tsx';

interface TemplateInputProps extends InputProps {
  readonly value: unknown;
  readonly rows?: number;
  readonly acceptsSecrets?: boolean;
  /** Whether an empty text is removed. */
  readonly isOptional?: boolean;
  readonly placeholder?: string;
}

/** A labelled text with templates. */
export function TemplateInput({
  value,
  rows,
  acceptsSecrets,
  isOptional = false,
  placeholder,
  ...props
}: TemplateInputProps) {
  const { context, path } = props;
  const { id, 'aria-invalid': isInvalid = false, 'aria-describedby': describedBy } = attributes(context, path);
  return (
    <Labelled {...props}>
      <TemplateText
        id={id}
        value={typeof value === 'string' ? value : ''}
        {...(rows !== undefined && { rows })}
        {...(acceptsSecrets !== undefined && { acceptsSecrets })}
        placeholder={placeholder}
        isReadOnly={context.isReadOnly}
        isInvalid={isInvalid}
        describedBy={describedBy}
        onChange={(text) => context.set(path, text === '' && isOptional ? undefined : text)}
      />
    </Labelled>
  );
}

/** JSON with templates in its strings. Kept as typed until it can be read. */
export function TemplateJsonInput({
  value,
  rows = 6,
  ...props
}: InputProps & { readonly value: unknown; readonly rows?: number }) {
  const { texts } = useLanguage();
  const { context, path } = props;
  const { id, 'aria-invalid': isInvalid = false, 'aria-describedby': describedBy } = attributes(context, path);
  const [typed, setTyped] = useState<string | null>(null);
  const isBroken = typed !== null && read(typed) === undefined;
  return (
    <Labelled {...props}>
      <TemplateText
        id={id}
        value={typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2))}
        rows={rows}
        isJson
        isReadOnly={context.isReadOnly}
        isInvalid={isInvalid || isBroken}
        describedBy={describedBy}
        onBlur={() => !isBroken && setTyped(null)}
        onChange={(text) => {
          setTyped(text);
          const changed = read(text);
          if (changed !== undefined) context.set(path, changed === empty ? undefined : changed);
        }}
      />
      {isBroken && <p className={inputs.issue}>{texts.invalidJson}</p>}
    </Labelled>
  );
}

const empty = Symbol('empty');

function read(text: string): unknown {
  if (text.trim() === '') return empty;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
