/**
 * What the caller says in one turn: the final segments, and the words since the last final. It stays open until the
 * agent is heard, so that late words join it.
 */
export class CallerTurn {
  private finals = '';
  private partial = '';
  private partialSegment: number | undefined;
  /** When its sound began, for the rule about late acknowledgments and the gap before a backchannel. */
  readonly startedAt: number;
  backchannels = 0;
  lastBackchannelAt: number;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
    this.lastBackchannelAt = startedAt;
  }

  get words(): string {
    return this.partial === '' ? this.finals : joined(this.finals, this.partial);
  }

  get hasWords(): boolean {
    return this.finals !== '' || this.partial !== '';
  }

  /** The words that are not final yet. */
  get partialWords(): string {
    return this.partial;
  }

  /** The segment of the words that are not final yet, if the recognizer names it. */
  get segment(): number | undefined {
    return this.partialSegment;
  }

  /** Characters that will not change. */
  get finalLength(): number {
    return this.finals.length;
  }

  /** Whether all words are final. */
  get isFinal(): boolean {
    return this.partial === '' && this.finals !== '';
  }

  /** Returns whether the words changed. */
  hearPartial(text: string, segment?: number): boolean {
    this.keepEarlier(segment);
    this.partialSegment = segment;
    if (text === this.partial) return false;
    this.partial = text;
    return true;
  }

  hearFinal(text: string, segment?: number): boolean {
    const before = this.words;
    this.keepEarlier(segment);
    if (text !== '') this.finals = joined(this.finals, text);
    this.partial = '';
    return this.words !== before;
  }

  /** Recognizers answer in order: what they said of an earlier segment will not become final. */
  private keepEarlier(segment: number | undefined) {
    if (segment === undefined || this.partialSegment === undefined || segment <= this.partialSegment) return;
    this.finals = joined(this.finals, this.partial);
    this.partial = '';
  }
}

/** Japanese is written without spaces between the segments of a recognizer. */
export function joined(before: string, after: string): string {
  if (before === '') return after;
  if (after === '') return before;
  const needsSpace = /[\p{L}\p{N},.!?;:)"']$/u.test(before) && !isWideText(before.at(-1)) && !isWideText(after[0]);
  return needsSpace ? `${before} ${after}` : before + after;
}

function isWideText(character: string | undefined): boolean {
  return character !== undefined && character >= '⺀';
}
