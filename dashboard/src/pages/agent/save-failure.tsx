import { Alert } from '@mantine/core';
import { ConflictError, NotFoundError, UnprocessableError, ValidationError } from '../../../../sdk/src/index.ts';
import { WarningIcon } from '../../icons.tsx';
import { useLanguage } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useAgentTexts } from './texts.ts';

/** Why saving failed, unless it was a validation error or a conflict. */
export function SaveFailure({ error }: { readonly error: unknown }) {
  const { texts: shared } = useLanguage();
  const texts = useAgentTexts();
  const isShownElsewhere =
    error instanceof ValidationError || error instanceof UnprocessableError || error instanceof ConflictError;
  if (error === null || error === undefined || isShownElsewhere) return null;
  const { title, advice, requestId } =
    error instanceof NotFoundError
      ? { title: texts.goneTitle, advice: texts.goneText, requestId: null }
      : describeError(error, shared);
  return (
    <Alert color="red" variant="light" role="alert" icon={<WarningIcon />} title={title} py="xs">
      {advice} {requestId !== null && shared.requestId(requestId)}
    </Alert>
  );
}
