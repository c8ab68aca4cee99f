/** Names of models to choose from, by the provider of the voice. Of the providers' documentation. */
export const voiceModels: Readonly<Record<string, readonly string[]>> = {
  elevenlabs: ['eleven_flash_v2_5', 'eleven_turbo_v2_5', 'eleven_multilingual_v2'],
  cartesia: ['sonic-3', 'sonic-3.5', 'sonic-latest'],
  openai: ['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'],
};

/** Language models, by their provider. A server with the same protocol has others, which can be typed. */
export const languageModels: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-5.4-mini', 'gpt-5.4', 'gpt-5.4-nano', 'gpt-4.1-mini'],
};

/** Those of the service itself, by the field. */
export const testModels: Readonly<Record<string, readonly string[]>> = {
  'responseEngine.model': ['test-echo', 'test-script', 'test-silent', 'test-slow', 'test-fail', 'test-knowledge'],
  postCallAnalysisModel: ['test-extract', 'test-fail'],
};
