/** An expected failure of a command. The message is for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** See `exitCodes` in `failures.ts`. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
