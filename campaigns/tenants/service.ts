/** The service without the limits of single operations: the campaign asks for each of them more often than that. */
import { stopWithParent } from '../../scripts/install.js';
import { serve } from '../../src/main.ts';

// A campaign that is killed itself cannot end what it has started.
stopWithParent();
await serve(process.env, {
  rateLimits: {
    'voice-previews': null,
    'analysis-previews': null,
    'phone-checks': null,
    'provider-verifications': null,
    'knowledge-searches': null,
    'page-searches': null,
  },
});
