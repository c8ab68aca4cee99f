/** Bytes that can be put where they are needed, as those of a Buffer can. */
export interface Piece {
  readonly length: number;
  copy(target: Buffer, start: number): unknown;
  /** False where its bytes are no longer there. Absent where they stay. */
  isHeld?(): boolean;
}

/** Several pieces in one, with something between them. */
export class JoinedPieces implements Piece {
  readonly length: number;
  readonly #pieces: readonly Piece[];
  readonly #between: string;

  constructor(pieces: readonly Piece[], between: string) {
    this.#pieces = pieces;
    this.#between = between;
    let length = between.length * Math.max(0, pieces.length - 1);
    for (const piece of pieces) length += piece.length;
    this.length = length;
  }

  /** What it takes to keep it, beside the pieces themselves. */
  get ownBytes(): number {
    return 100 + 10 * this.#pieces.length;
  }

  isHeld(): boolean {
    for (const piece of this.#pieces) if (piece.isHeld?.() === false) return false;
    return true;
  }

  copy(target: Buffer, start: number): void {
    let place = start;
    for (const piece of this.#pieces) {
      if (place > start) place += target.write(this.#between, place, 'latin1');
      piece.copy(target, place);
      place += piece.length;
    }
  }
}

export function bufferOf(pieces: readonly Piece[]): Buffer {
  const [first] = pieces;
  if (pieces.length === 1 && first instanceof Buffer) return first;
  const buffer = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const piece of pieces) {
    piece.copy(buffer, place);
    place += piece.length;
  }
  return buffer;
}
