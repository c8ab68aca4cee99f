/** The service of this release, or of the next one (`TEST_RELEASE=next`). It accepts calls however busy the machine is. */
import { stopWithParent } from '../../scripts/install.js';
import { serve } from '../../src/main.ts';
import { createCallEnds, nextRelease } from '../support/next-release.ts';

stopWithParent();
const { TEST_RELEASE, ...environment } = process.env;
await serve(environment, {
  live: { isBusy: () => false },
  ...(TEST_RELEASE === 'next' && { release: nextRelease, otherAreas: () => [createCallEnds()] }),
});
