/** The service with short leases: what a killed process was doing is soon free again. */
import { stopWithParent } from '../../scripts/install.js';
import { serve } from '../../src/main.ts';
import { leaseMs } from './settings.ts';

// A campaign that is killed itself cannot end what it has started.
stopWithParent();
await serve(process.env, { leaseMs });
