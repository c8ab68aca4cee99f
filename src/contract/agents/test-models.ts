/** Models that ship with the service, for tests without a provider. No other name may start like theirs. */
export const testModelPrefix = 'test-';

export const testModels = ['test-echo', 'test-script', 'test-silent', 'test-slow', 'test-fail'] as const;
export const testAnalysisModels = ['test-extract', 'test-fail'] as const;
