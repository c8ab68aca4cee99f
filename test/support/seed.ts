/** One for every run, so that a test that is green stays so; the campaigns have the random ones. */
export const seed = 20_260_501;
