import { createSealer } from '../../src/core/sealer.ts';

/** A sealer with a fixed key. */
export const testSealer = createSealer([Buffer.alloc(32, 7)]);
