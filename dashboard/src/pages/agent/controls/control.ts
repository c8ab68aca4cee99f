import type { Issues } from '../checks.ts';
import type { Field } from '../fields.ts';

/** The props of every form control. */
export interface ControlProps {
  readonly field: Field;
  /** The DOM id of the input, and the prefix of nested ids. */
  readonly id: string;
  readonly labelId: string;
  readonly describedBy: string;
  readonly value: unknown;
  readonly issues: Issues;
  readonly isReadOnly: boolean;
  readonly onChange: (value: unknown) => void;
}

/** A value to choose from. */
export interface Suggestion {
  readonly value: string;
  /** What it is called, if that is more than its value. */
  readonly name?: string;
}

/** The ARIA attributes that link an input to its description and its errors. */
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
