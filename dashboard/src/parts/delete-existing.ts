import { NotFoundError } from '../../../sdk/src/index.ts';

/** Waits for a deletion. What someone else has deleted already is deleted. */
export async function deleteExisting(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
