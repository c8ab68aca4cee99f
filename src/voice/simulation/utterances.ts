import type { Command } from '../turn/events.ts';

interface Utterance {
  text: string;
  readonly turn: number;
  readonly source: string;
  /** Where the sentences that must not be interrupted start and end. */
  readonly uninterruptible: { readonly start: number; readonly end: number }[];
  heard: number;
  isStarted: boolean;
}

/** The invariants of what the agent says: what was heard of each utterance is committed, once and in order. */
export class Utterances {
  private readonly violated: (rule: string) => void;
  private readonly utterances = new Map<number, Utterance>();
  private readonly committedIds = new Set<number>();
  private lastCommitted = 0;
  /** Stopped, and not committed: what was heard of them comes before anything else. */
  private readonly stoppedIds = new Set<number>();
  private readonly doneIds = new Set<number>();

  constructor(violated: (rule: string) => void) {
    this.violated = violated;
  }

  say({ utterance: id, text, isUninterruptible, source }: Extract<Command, { type: 'say' }>, turn: number) {
    let utterance = this.utterances.get(id);
    if (utterance === undefined) {
      utterance = { text: '', turn, source, uninterruptible: [], heard: 0, isStarted: false };
      this.utterances.set(id, utterance);
    }
    if (isUninterruptible) {
      const start = utterance.text.length;
      utterance.uninterruptible.push({ start, end: start + text.length });
    }
    utterance.text += text;
  }

  /** Returns why it was said; undefined if it was not. */
  started(id: number): string | undefined {
    const utterance = this.utterances.get(id);
    if (utterance !== undefined) utterance.isStarted = true;
    return utterance?.source;
  }

  played(id: number, heard: number) {
    const utterance = this.utterances.get(id);
    if (utterance !== undefined) utterance.heard = heard;
  }

  cleared(id: number, heard: number) {
    const utterance = this.utterances.get(id);
    if (utterance !== undefined) utterance.heard = Math.max(utterance.heard, heard);
  }

  done(id: number) {
    this.doneIds.add(id);
  }

  /** Rule 7: what was stopped before its start is reported counts as not heard. */
  stopped(id: number) {
    if (this.utterances.get(id)?.isStarted) this.stoppedIds.add(id);
  }

  checkPause(id: number) {
    const utterance = this.utterances.get(id);
    if (utterance?.uninterruptible.some(({ start, end }) => utterance.heard >= start && utterance.heard < end)) {
      this.violated('an uninterruptible sentence is never paused');
    }
  }

  /** `rule` is broken if something was heard of an utterance that was stopped, and is not in the transcript yet. */
  checkStopped(rule: string) {
    for (const id of this.stoppedIds) {
      const utterance = this.utterances.get(id);
      if (utterance !== undefined && utterance.text.slice(0, utterance.heard).trim() !== '') this.violated(rule);
    }
    this.stoppedIds.clear();
  }

  commit({ utterance: id, source, text }: Extract<Command, { type: 'commit'; role: 'agent' }>, acceptedTurn: number) {
    if (this.committedIds.has(id)) this.violated('one commit per utterance');
    this.committedIds.add(id);
    this.stoppedIds.delete(id);
    if (id < this.lastCommitted) this.violated('utterances are committed in order');
    this.lastCommitted = id;
    const utterance = this.utterances.get(id);
    if (utterance?.text.startsWith(text) !== true) this.violated('heard text is a prefix of what was said');
    else if (text.length > utterance.heard && !this.doneIds.has(id)) this.violated('only what was heard is committed');
    if (source === 'engine' && utterance !== undefined && utterance.turn > acceptedTurn) {
      this.violated('a reply that is heard is accepted');
    }
  }
}
