import type { InboundCall } from './call-request.ts';
import type { Carrier } from './carrier.ts';
import type { Fault } from './faults.ts';
import { authenticated, type RestRequest, type RestResponse } from './rest.ts';

/** What Twilio does not have: paths for those who run the carrier in a process of its own, with the same credentials. */
export const controlPath = '/local/';

export function serveControl(carrier: Carrier, request: RestRequest): RestResponse {
  const caller = authenticated(carrier, request.authorization);
  if (caller === null) return { status: 401, body: { message: 'Authenticate' } };
  try {
    switch (`${request.method} ${request.path}`) {
      case 'POST /local/calls':
        return { status: 201, body: { callSid: carrier.callNumber(inboundCall(request, caller.account.sid)).sid } };
      case 'GET /local/calls':
        return { status: 200, body: { calls: carrier.log() } };
      case 'GET /local/violations':
        return { status: 200, body: { violations: carrier.violations, notifications: carrier.notifications } };
      case 'POST /local/faults':
        carrier.faults.add(JSON.parse(request.body) as Fault);
        return { status: 201, body: {} };
      case 'DELETE /local/faults':
        carrier.faults.clear();
        return { status: 200, body: {} };
      default:
        return { status: 404, body: { message: 'Not found' } };
    }
  } catch (error) {
    return { status: 400, body: { message: error instanceof Error ? error.message : 'Bad request' } };
  }
}

/** To a number of the account that asks for it. */
function inboundCall({ body }: RestRequest, accountSid: string): InboundCall {
  return { ...(JSON.parse(body) as InboundCall), accountSid };
}
