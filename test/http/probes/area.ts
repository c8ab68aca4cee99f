import { type Area, defineArea } from '../../../src/areas/area.ts';
import type { Handlers } from '../../../src/http/operations/handlers.ts';
import { type ProbeOperation, probesContract } from './contract.ts';

/** The handlers that a test is about; the others respond with the id. */
export function createProbes(handlers: Partial<Handlers<ProbeOperation>> = {}): Area {
  return defineArea(probesContract, {
    handlers: {
      'probes.get': ({ params }) => ({ body: params }),
      'probes.create': () => ({ body: { id: 'prb_1' }, resourceId: 'prb_1' }),
      'probes.end': ({ params }) => ({ body: params, resourceId: params.id }),
      'probes.watch': ({ params }) => ({ body: params }),
      ...handlers,
    },
  });
}
