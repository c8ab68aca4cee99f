export interface IndexJob {
  readonly documentId: string;
  readonly work: number;
}

/** Attempts that end with a lost process, before the document has failed. */
export const maxIndexAttempts = 3;

export const indexJob = {
  name: 'knowledge_index',
  // The attempts after the third one only record the failure.
  maxAttempts: 100,
};
