import type { Issues } from '../checks.ts';
import type { Field } from '../fields.ts';

/** What every control of the form is given. */
export interface ControlProps {
  readonly field: Field;
  /** Of the input, and the beginning of the ids of what is inside. */
  readonly id: string;
  readonly labelId: string;
  readonly describedBy: string;
  readonly value: unknown;
  readonly issues: Issues;
  readonly isReadOnly: boolean;
  readonly onChange: (value: unknown) => void;
}

/** The attributes that tie an input to its meaning and to what is wrong with it. */
export function inputProps({
  id,
  describedBy,
  issues,
  field,
}: Pick<ControlProps, 'id' | 'describedBy' | 'issues' | 'field'>) {
  return {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': issues[field.name] === undefined ? undefined : true,
    'aria-required': field.rules.isRequired || undefined,
  };
}
