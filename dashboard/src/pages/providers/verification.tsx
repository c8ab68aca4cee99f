import { Text } from '@mantine/core';
import { useState } from 'react';
import type { ProviderVerification } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useClient } from '../../session/use-session.ts';
import { outcomeTexts } from './account-texts.ts';
import { providerNames, providersTexts } from './texts.ts';

/** What came of the last verification of a provider. */
export type Verification = 'running' | ProviderVerification | Error;

/** The verifications of this page, by provider. */
export function useVerifications() {
  const client = useClient();
  const [all, setAll] = useState<Readonly<Record<string, Verification>>>({});
  const note = (provider: string, found: Verification) => setAll((before) => ({ ...before, [provider]: found }));
  const ask = async (provider: string): Promise<Verification> => {
    try {
      return await client.providers.verify(provider);
    } catch (error) {
      return error as Error;
    }
  };
  return {
    of: (provider: string): Verification | undefined => all[provider],
    verify: (provider: string): void => {
      if (all[provider] === 'running') return;
      note(provider, 'running');
      void ask(provider).then((found) => note(provider, found));
    },
    forget: (provider: string): void =>
      setAll((before) => Object.fromEntries(Object.entries(before).filter(([name]) => name !== provider))),
  };
}

/** The result in words, read out when it arrives. */
export function Outcome({ provider, found }: { readonly provider: string; readonly found: Verification | undefined }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(providersTexts);
  const outcomes = useTexts(outcomeTexts);
  const names = useTexts(providerNames);
  const name = names[provider] ?? provider;
  const text = (): string => {
    if (found === undefined) return '';
    if (found === 'running') return texts.verifying;
    if (found instanceof Error) return describeError(found, shared).title;
    // The service names the models that are missing.
    return outcomes[found.problem ?? 'ok']?.(name) ?? found.message;
  };
  const isBad = found !== undefined && found !== 'running' && (found instanceof Error || !found.ok);
  return (
    <Text size="xs" role="status" mt={4} c={isBad ? 'red.8' : 'dimmed'} data-outcome={provider}>
      {text()}
    </Text>
  );
}
