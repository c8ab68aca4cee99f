/** The service with short leases. It accepts calls however busy the machine is: others may use it, too. */
import { flushCompileCache } from 'node:module';
import { stopWithParent } from '../../scripts/install.js';
import { serve } from '../../src/main.ts';
import { leaseMs } from './settings.ts';

// A campaign that is killed itself cannot end what it has started.
stopWithParent();
await serve(process.env, { leaseMs, live: { isBusy: () => false } });
// A process that is killed does not write it at its end: the next one starts in half the time.
flushCompileCache();
