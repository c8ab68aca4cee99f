import { callColumns, callValuePrefixes, searchFields } from '../calls/fields.ts';
import { type FieldCatalog, filterOps } from '../filter.ts';
import { quoted } from '../quoted-names.ts';

/** The statuses of a step that has run. */
export const finalStepStatuses = ['succeeded', 'failed'] as const;

const stepField = /^steps\.[^.]*\.(?:(status|statusCode)|output\.(.+))$/su;

/** The fields of a condition: those of calls.search, and what earlier steps returned. */
export const conditionFields: FieldCatalog = (field) => {
  const [match, name] = stepField.exec(field) ?? [];
  if (match === undefined) return searchFields(field);
  if (name === 'status') return { type: 'string', values: finalStepStatuses };
  return { type: name === 'statusCode' ? 'number' : 'any' };
};

export const filterText = `A condition \`{"field", "op", "value"}\`, or \`{"all": […]}\`, \`{"any": […]}\`, \`{"not": …}\` of conditions, up to 50 conditions and 5 levels, as for calls.search. Operators: ${quoted(filterOps)}. Fields: ${quoted(Object.keys(callColumns))}, and ${quoted(callValuePrefixes)} followed by a key`;
