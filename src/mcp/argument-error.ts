/** Invalid arguments, detected without calling the service. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super('The arguments are invalid.');
    this.issues = issues;
  }
}
