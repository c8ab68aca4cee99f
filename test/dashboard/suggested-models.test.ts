import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testModels as suggested } from '../../dashboard/src/pages/agent/suggested-models.ts';
import { testAnalysisModels, testModels } from '../../src/contract/agents/test-models.ts';

test('the form suggests the test models that the service has', () => {
  assert.deepEqual(suggested['responseEngine.model'], testModels);
  assert.deepEqual(suggested.postCallAnalysisModel, testAnalysisModels);
});
