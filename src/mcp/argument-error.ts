/** Something about the arguments that can be told without asking the service. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super('The arguments are not valid.');
    this.issues = issues;
  }
}
