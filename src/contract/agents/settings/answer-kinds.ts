/** Without schemas: the dashboard imports it, too. */
export const answerKinds = [
  'text',
  'yes_no',
  'number',
  'digits',
  'date',
  'time',
  'phone',
  'email',
  'postal_code',
  'choice',
] as const;
