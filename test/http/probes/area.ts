import { type Area, defineArea } from '../../../src/areas/area.ts';
import type { Handlers } from '../../../src/http/operations/handlers.ts';
import type { Page } from '../../../src/storage/page.ts';
import { type Probe, type ProbeOperation, probesContract } from './contract.ts';

/** A page that ends before `next`. */
export function pageOfIds(ids: readonly string[], next: string | null): Page<Probe> {
  return { items: Buffer.from(ids.map((id) => JSON.stringify({ id })).join(',')), next };
}

/** The handlers that a test is about; the others respond with the id. */
export function createProbes(handlers: Partial<Handlers<ProbeOperation>> = {}): Area {
  return defineArea(probesContract, {
    handlers: {
      'probes.get': ({ params }) => ({ body: params }),
      'probes.list': ({ nextPage }) => nextPage(pageOfIds([], null)),
      'probes.search': ({ nextPage }) => nextPage(pageOfIds([], null)),
      'probes.create': () => ({ body: { id: 'prb_1' }, resourceId: 'prb_1' }),
      'probes.end': ({ params }) => ({ body: params, resourceId: params.id }),
      'probes.stream': ({ params }) => ({ body: params }),
      'probes.watch': ({ params, nextPage }) => nextPage(pageOfIds([params.id], null)),
      ...handlers,
    },
  });
}
