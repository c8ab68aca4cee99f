import { Alert } from '@mantine/core';
import { ApiError, ConflictError } from '../../../../sdk/src/index.ts';
import { WarningIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { workflowsTexts } from './texts.ts';

interface SaveFailureProps {
  readonly error: Error | null;
  /** Whether its problems are listed. */
  readonly isListed: boolean;
}

/** Why saving failed, unless that is shown elsewhere. */
export function SaveFailure({ error, isListed }: SaveFailureProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(workflowsTexts);
  if (error === null || isListed || error instanceof ConflictError) return null;
  const { title, advice } = describeError(error, shared);
  const isFull = error instanceof ApiError && error.code === 'LIMIT_REACHED';
  return (
    <Alert color="red" variant="light" role="alert" icon={<WarningIcon />} title={isFull ? null : title} py="xs">
      {isFull ? texts.limit : advice}
    </Alert>
  );
}
