import { useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';
import { type Scope, useScope } from '../session/use-session.ts';

/** Opens the dialog of a page that creates something if its URL ends in `?new`, and removes that from the URL. */
export function useNewParameter(scope: Scope, onNew: () => void): void {
  const [parameters, setParameters] = useSearchParams();
  const { isAllowed } = useScope(scope);
  const open = useRef(onNew);
  open.current = onNew;
  const isNew = parameters.has('new');
  useEffect(() => {
    if (!isNew) return;
    setParameters({}, { replace: true });
    if (isAllowed) open.current();
  }, [isNew, isAllowed, setParameters]);
}
