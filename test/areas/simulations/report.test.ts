import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundedReport } from '../../../src/areas/simulations/job.ts';
import type { SimulationReport } from '../../../src/voice/simulation/report.ts';

describe('the report of a simulation', () => {
  it('keeps the turns and the failures that fit', () => {
    const turn = { index: 0, role: 'agent', text: 'x'.repeat(1000) };
    const transcript = Array.from({ length: 50 }, (_, index) => ({ ...turn, index }));
    const failure = { seed: 1, step: 0, expected: 'e'.repeat(5000), saw: 's'.repeat(5000), transcript };
    const report = { runs: 20, passed: 0, latency: null, transcript, failures: Array(20).fill(failure) };
    const bounded = boundedReport(report as unknown as SimulationReport, 5, 200_000);
    assert.equal(bounded.transcript.length, 50);
    assert.equal(bounded.failures.length, 2);
    assert.ok((bounded.failures[1]?.transcript.length ?? 0) < 50, 'the last one ends early');
    assert.ok(JSON.stringify(bounded).length < 210_000);
    assert.equal(bounded.failures[0]?.saw.length, 2001);
    const small = boundedReport(report as unknown as SimulationReport, 5, 20_000);
    assert.deepEqual([small.transcript.length, small.failures.length], [9, 1]);
  });
});
