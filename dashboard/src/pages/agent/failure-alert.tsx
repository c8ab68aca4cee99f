import { Alert } from '@mantine/core';
import { ConflictError, UnprocessableError, ValidationError } from '../../../../sdk/src/index.ts';
import { WarningIcon } from '../../icons.tsx';
import { useLanguage } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { issuesOf } from './checks.ts';
import { labelOf } from './field-texts.ts';
import { useAgentTexts } from './texts.ts';

/** An error, shown inside the dialog that caused it. */
export function FailureAlert({ error }: { readonly error: unknown }) {
  const { texts: shared, language } = useLanguage();
  const texts = useAgentTexts();
  if (error === null || error === undefined) return null;
  if (error instanceof UnprocessableError || error instanceof ValidationError) {
    const issues = Object.entries(issuesOf(error.fieldErrors, texts));
    return (
      <Alert color="red" role="alert" icon={<WarningIcon />} title={texts.notPublishable}>
        {issues.map(([path, messages]) => (
          <div key={path}>
            {labelOf(path, language)}: {messages.join(' · ')}
          </div>
        ))}
        {error.formErrors.map((message) => (
          <div key={message}>{message}</div>
        ))}
      </Alert>
    );
  }
  const { title, advice } = describeError(error, shared);
  return (
    <Alert color="red" role="alert" icon={<WarningIcon />} title={title}>
      {error instanceof ConflictError ? texts.conflictAction : advice}
    </Alert>
  );
}
