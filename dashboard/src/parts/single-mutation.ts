import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

/** Like `useMutation`, but ignores calls while one is in progress: a double click can arrive before the next render. */
export function useSingleMutation<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): Pick<UseMutationResult<Data, Error, Variables>, 'error' | 'isPending' | 'reset'> & {
  readonly mutate: (variables: Variables) => void;
} {
  const isOnItsWay = useRef(false);
  const { mutate, error, isPending, reset } = useMutation({
    ...options,
    onSettled: () => {
      isOnItsWay.current = false;
    },
  });
  const mutateOnce = useCallback(
    (variables: Variables) => {
      if (isOnItsWay.current) return;
      isOnItsWay.current = true;
      mutate(variables);
    },
    [mutate],
  );
  return { mutate: mutateOnce, error, isPending, reset };
}
