/** A command that could not do what was asked. The message is for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** See `exitCodes` in `failures.ts`. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
