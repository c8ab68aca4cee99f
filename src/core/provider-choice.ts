interface Provider {
  readonly name: string;
  readonly configured: boolean;
  readonly capabilities: readonly string[];
  readonly automatic: boolean;
}

/**
 * The providers that `sttProvider` or `ttsProvider` of an agent stands for, best first: with `auto` all that may be
 * chosen automatically, else the one with this name. Calls and the dashboard use it, so that both agree.
 */
export function chosenProviders<One extends Provider>(
  providers: readonly One[],
  capability: 'stt' | 'tts',
  setting: string,
): One[] {
  return providers.filter(
    ({ name, configured, capabilities, automatic }) =>
      configured && capabilities.includes(capability) && (setting === 'auto' ? automatic : name === setting),
  );
}
