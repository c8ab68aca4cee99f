import { Button, Text } from '@mantine/core';
import {
  ApiError,
  ConnectionError,
  PermissionError,
  RateLimitError,
  ServiceUnavailableError,
} from '../../../sdk/src/index.ts';
import { RotateIcon, WarningIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { State } from './state.tsx';

type Texts = ReturnType<typeof useLanguage>['texts'];

/** A readable error with the next step. */
export interface DescribedError {
  readonly title: string;
  readonly advice: string;
  readonly requestId: string | null;
}

export function describeError(error: unknown, texts: Texts): DescribedError {
  const requestId = error instanceof ApiError ? error.requestId : null;
  if (error instanceof ConnectionError) {
    return { title: texts.failedConnection, advice: texts.failedConnectionNext, requestId };
  }
  if (error instanceof PermissionError) {
    const title = error.requiredScope === null ? texts.lacksScopeTitle : texts.lacksScope(error.requiredScope);
    return { title, advice: texts.lacksScopeNext, requestId };
  }
  if (error instanceof RateLimitError || error instanceof ServiceUnavailableError) {
    return { title: texts.failedBusy, advice: texts.failedBusyNext, requestId };
  }
  if (error instanceof ApiError && error.status >= 500) {
    return { title: texts.failedService, advice: texts.failedServiceNext, requestId };
  }
  return { title: texts.failed, advice: error instanceof Error ? error.message : String(error), requestId };
}

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: () => unknown;
  readonly isWhole?: boolean;
}

export function ErrorState({ error, onRetry, isWhole = false }: ErrorStateProps) {
  const { texts } = useLanguage();
  const { title, advice, requestId } = describeError(error, texts);
  const retry =
    onRetry === undefined ? undefined : (
      <Button variant="default" leftSection={<RotateIcon size={16} />} onClick={() => onRetry()}>
        {texts.tryAgain}
      </Button>
    );
  return (
    <State icon={<WarningIcon />} title={title} actions={retry} isAlert isWhole={isWhole}>
      {advice}
      {requestId !== null && (
        <Text size="xs" mt={6} ff="monospace">
          {texts.requestId(requestId)}
        </Text>
      )}
    </State>
  );
}
