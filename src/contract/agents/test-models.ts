/** Models that ship with the service, for tests without a provider. No other name may start like theirs. */
export const testModelPrefix = 'test-';

/** Says what it finds in the knowledge bases of the agent. */
export const knowledgeTestModel = 'test-knowledge';

export const testModels = [
  'test-echo',
  'test-script',
  'test-silent',
  'test-slow',
  'test-fail',
  knowledgeTestModel,
] as const;
export const testAnalysisModels = ['test-extract', 'test-fail'] as const;
