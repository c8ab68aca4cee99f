/** The service with the leases and timeouts of production. It accepts calls however busy the machine is. */
import { flushCompileCache } from 'node:module';
import { stopWithParent } from '../../../scripts/install.js';
import { serve } from '../../../src/main.ts';

stopWithParent();
await serve(process.env, { live: { isBusy: () => false } });
// A process that is killed does not write it at its end: the next one starts in half the time.
flushCompileCache();
