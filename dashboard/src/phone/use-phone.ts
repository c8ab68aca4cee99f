import { useQuery } from '@tanstack/react-query';
import type { Carrier, PhoneNumber } from '../../../sdk/src/index.ts';
import { useClient, useScope } from '../session/use-session.ts';

/** While a number is being checked. */
const checkingMs = 1000;
const refreshMs = 15_000;

/** All numbers of the workspace, newest first. */
export function usePhoneNumbers() {
  const { phoneNumbers } = useClient();
  const { isAllowed } = useScope('phone-numbers:read');
  return useQuery({
    queryKey: ['phone', 'numbers'],
    queryFn: async ({ signal }) => {
      const found: PhoneNumber[] = [];
      for await (const number of phoneNumbers.list({ limit: 200 }, { signal })) found.push(number);
      return found;
    },
    enabled: isAllowed,
    refetchInterval: ({ state }) => (state.data?.some(isChecking) ? checkingMs : refreshMs),
  });
}

export function usePhoneNumber(id: string) {
  const { phoneNumbers } = useClient();
  return useQuery({
    queryKey: ['phone', 'number', id],
    queryFn: ({ signal }) => phoneNumbers.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isChecking(state.data) ? checkingMs : refreshMs),
  });
}

/** All carriers of the workspace: at most 20. */
export function useCarriers() {
  const { carriers } = useClient();
  const { isAllowed } = useScope('phone-numbers:read');
  return useQuery({
    queryKey: ['phone', 'carriers'],
    queryFn: async ({ signal }): Promise<readonly Carrier[]> => (await carriers.list({ limit: 50 }, { signal })).items,
    enabled: isAllowed,
    refetchInterval: refreshMs,
  });
}

/** The carrier of a number; undefined until it is known. */
export function useCarrier(id: string): Carrier | undefined {
  return useCarriers().data?.find((carrier) => carrier.id === id);
}

export function isChecking({ status }: PhoneNumber): boolean {
  return status === 'verifying';
}
