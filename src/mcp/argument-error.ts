/** Something about the arguments that can be told without asking the service. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super('The arguments are not valid.');
    this.faults = faults;
  }
}
