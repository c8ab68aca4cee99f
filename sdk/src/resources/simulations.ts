import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { RunSimulation, SimulationReport } from '../schema.ts';

/** Conversations of an agent with a scripted caller. */
export class Simulations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Runs a script against an agent. Failed expectations are in the result: the call succeeds. */
  run(body: RunSimulation, options?: RequestOptions): ApiPromise<SimulationReport> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/simulations`, body, options });
  }
}
