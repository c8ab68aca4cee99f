/** The service with short leases and a short schedule. */
import { stopWithParent } from '../../scripts/install.js';
import { serve } from '../../src/main.ts';
import { failingPerSecond, leaseMs, retryDelaysMs } from './settings.ts';

// A campaign that is killed itself cannot end what it has started.
stopWithParent();
await serve(process.env, { leaseMs, workflowRunning: { retryDelaysMs, failingPerSecond, pollMs: 200 } });
