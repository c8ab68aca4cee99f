import type { ResidentProgram } from '../../../workers/resident/resident-thread.ts';

/** One process needs no more than a few hundred megabytes of JavaScript for speech; the models are outside this limit. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

export function speechThread(file: URL, workerData: unknown): ResidentProgram {
  return { file, name: 'speech', workerData, resourceLimits };
}
