import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  lastLatencyMs,
  newSpokenCall,
  nextSpokenCall,
  type SpokenAction,
} from '../../dashboard/src/try/spoken/spoken-call.ts';
import type { Turn } from '../../sdk/src/index.ts';
import { WebCallError } from '../../sdk/src/web/errors.ts';

const after = (...actions: SpokenAction[]) => actions.reduce(nextSpokenCall, newSpokenCall);
const said = (turn: number, role: 'caller' | 'agent', text: string, isFinal = true): SpokenAction => ({
  type: 'said',
  transcript: { turn, role, text, isFinal },
});
const completed = (index: number, fields: Partial<Turn>): SpokenAction => ({
  type: 'completed',
  turn: { index, role: 'agent', text: '', latency: null, ...fields } as Turn,
});
const latency = (e2eMs: number | null) => ({ e2eMs }) as NonNullable<Turn['latency']>;

describe('a spoken call in the panel', () => {
  it('replaces partial words by the final ones, and those by the turn', () => {
    const { lines } = after(
      said(0, 'caller', 'A table', false),
      said(0, 'caller', 'A table for two'),
      said(1, 'agent', 'Of course. When?'),
      completed(1, { text: 'Of course.', interrupted: true }),
    );
    assert.deepEqual(
      lines.map(({ text, isFinal, completed }) => [text, isFinal, completed?.interrupted ?? null]),
      [
        ['A table for two', true, null],
        ['Of course.', true, true],
      ],
    );
  });

  it('keeps turns in order, and leaves tools out', () => {
    const { lines } = after(said(2, 'agent', 'Yes?'), said(1, 'caller', 'Hello'), completed(3, { role: 'tool' }));
    assert.deepEqual(
      lines.map(({ turn }) => turn),
      [1, 2],
    );
  });

  it('knows the time of the last reply that has one', () => {
    assert.equal(lastLatencyMs(after(said(0, 'agent', 'Hello'))), null);
    const call = after(
      completed(0, { latency: latency(null) }),
      completed(2, { latency: latency(640) }),
      completed(3, { latency: latency(null) }),
    );
    assert.equal(lastLatencyMs(call), 640);
  });

  it('forgets that the browser plays no sound once it does, but no other problem', () => {
    const suspended = after({ type: 'problem', problem: new WebCallError('audio_suspended', '') }, { type: 'heard' });
    assert.equal(suspended.problem, null);
    const lost = after({ type: 'problem', problem: new WebCallError('microphone_lost', '') }, { type: 'heard' });
    assert.equal(lost.problem?.code, 'microphone_lost');
  });

  it('begins anew after its end', () => {
    const ended = after(
      said(0, 'agent', 'Hello'),
      { type: 'muted', isMuted: true },
      { type: 'ended', reason: 'agent_hangup', problem: null },
    );
    assert.deepEqual([ended.phase, ended.end, ended.floor], ['ended', { reason: 'agent_hangup' }, 'none']);
    assert.deepEqual(nextSpokenCall(ended, { type: 'joining' }), { ...newSpokenCall, phase: 'joining' });
  });
});
