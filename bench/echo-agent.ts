/** An agent that repeats what it hears, without a model. */
export const echoAgent = {
  name: 'bench',
  voiceId: 'v',
  responseEngineType: 'single_prompt',
  prompt: 'x',
  llmModel: 'test-echo',
  language: 'en',
  beginMessage: '',
} as const;
