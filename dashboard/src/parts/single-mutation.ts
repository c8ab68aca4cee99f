import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

/** As `useMutation`. What is on its way is not sent again: the second click of two may come before the first is drawn. */
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
