/** The service with short leases: what a killed process was doing is soon free again. */
import { serve } from '../../src/main.ts';
import { leaseMs } from './settings.ts';

await serve(process.env, { leaseMs });
