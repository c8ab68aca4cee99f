/** The service with short leases, and a log that is emptied soon: what is deleted has to disappear within the run. */
import { stopWithParent } from '../../scripts/install.js';
import { serve } from '../../src/main.ts';
import { leaseMs } from './settings.ts';

// A campaign that is killed itself cannot end what it has started.
stopWithParent();
await serve(process.env, { leaseMs, emptyLogMs: 500, rateLimits: { 'knowledge-searches': null } });
