import { malformed, notAccepting, notFound, pathNotFound, signatureRequired } from '../../core/errors.ts';
import type { PlainReply, PlainRequest, PlainRoute } from '../../http/plain-routes.ts';
import type { Database } from '../../storage/database.ts';
import { pauseThenRedirect } from '../../voice/carriers/twilio/documents.ts';
import {
  isStreamReport,
  ReportError,
  readAnswer,
  readAnsweredBy,
  readInboundCall,
  readReport,
  readTransfer,
} from '../../voice/carriers/twilio/reports.ts';
import { isSignedBy } from '../../voice/carriers/twilio/signature.ts';
import { carrierPath } from './addresses.ts';
import type { CarrierRow, CarrierStore } from './carriers/store.ts';
import type { Reports } from './dials/reports.ts';
import { callLeg, type Dial, type DialStore } from './dials/store.ts';
import type { createInbound } from './inbound/inbound.ts';
import type { JoinDocuments } from './media/join-documents.ts';
import type { PhoneCalls } from './phone-calls.ts';
import type { Transfers } from './transfers/transfers.ts';

export interface CarrierRouteParts {
  readonly database: Database;
  readonly carriers: CarrierStore;
  readonly dials: DialStore;
  /** Tells the process that owns a call, if one does; never throws. */
  readonly tell: PhoneCalls['tell'];
  readonly reports: Reports;
  readonly documents: JoinDocuments;
  readonly transfers: Transfers;
  readonly inbound: ReturnType<typeof createInbound>;
  /** False once the process is about to exit. */
  readonly isServing: () => boolean;
}

/** A request of the carrier whose signature is right. */
interface SignedRequest {
  readonly carrier: CarrierRow;
  readonly base: string;
  readonly form: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

interface LegRequest extends SignedRequest {
  readonly dial: Dial;
}

const maxBodyBytes = 64 * 1024;
/** No database takes all characters that a path can have. */
const idPattern = /^[\w-]{1,64}$/;
const nothing: PlainReply = { status: 200, body: null };

/**
 * For requests that mean the same a second later: without a document the carrier apologizes and hangs up. A relative
 * address needs nothing of the database, and shows nothing to one whose request is not signed.
 */
function repeatable(route: PlainRoute): PlainRoute {
  return { ...route, whenUnavailable: (url) => documentReply(pauseThenRedirect(url, 1)) };
}

function documentReply(body: string): PlainReply {
  return { status: 200, headers: { 'content-type': 'text/xml; charset=utf-8' }, body };
}

/** The paths that carriers call: no operations, and without an API key. Every request is signed. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function createCarrierRoutes(parts: CarrierRouteParts): PlainRoute[] {
  const { database, carriers, dials, tell, reports, documents, transfers, inbound } = parts;

  /** The signature is that of our public address: headers such as Host say nothing about it. */
  const signed = async (request: PlainRequest): Promise<SignedRequest> => {
    const { params, url, headers } = request;
    if (!Object.values(params).every((value) => idPattern.test(value))) throw pathNotFound();
    const carrier = await carriers.readAnyWorkspace(params.carrierId ?? '');
    const base = carrier === undefined ? null : carriers.publicBase(carrier);
    if (carrier === undefined || base === null) throw notFound('carrier');
    const form = request.form();
    const signature = headers['x-twilio-signature'];
    const { authToken } = carriers.credentials(carrier);
    const isSigned = typeof signature === 'string' && isSignedBy(authToken, base + url, form, signature);
    if (!isSigned) throw signatureRequired();
    return { carrier, base, form, params };
  };

  const route = (path: string, id: string, serve: (request: SignedRequest) => Promise<PlainReply>): PlainRoute => ({
    id: `carrier.${id}`,
    method: 'POST',
    path: `${carrierPath}/{carrierId}${path}`,
    isWrite: true,
    maxBodyBytes,
    serve: async (request) => {
      const accepted = await signed(request);
      try {
        return await serve(accepted);
      } catch (error) {
        throw error instanceof ReportError ? malformed(error.message) : error;
      }
    },
  });

  /** For a leg of a call: `call`, unless the path names another. */
  const legRoute = (path: string, id: string, serve: (request: LegRequest) => Promise<PlainReply>): PlainRoute =>
    route(`/calls/{callId}${path}`, id, async (request) => {
      const { callId = '', leg = callLeg } = request.params;
      const dial = await dials.find(database, { callId, leg });
      if (dial?.carrierId !== request.carrier.carrier.id) throw notFound('call');
      return serve({ ...request, dial });
    });

  const applied = async (dial: Dial, form: URLSearchParams): Promise<void> => {
    if (!(await reports.apply(dial, readReport(form)))) throw notFound('call');
  };
  /** With everything that the request itself has changed. */
  const reread = async (dial: Dial): Promise<Dial> => (await dials.find(database, dial)) ?? dial;

  return [
    repeatable(
      route('/voice', 'voice', async ({ carrier, base, form }) => {
        if (!parts.isServing()) throw notAccepting('The service is shutting down.');
        return documentReply(await inbound({ carrier, base, ...readInboundCall(form) }));
      }),
    ),
    /** Reports of inbound calls, whose addresses do not name the call. */
    route('/status', 'number_status', async ({ carrier, form }) => {
      const report = readReport(form);
      const dial = await dials.findByProviderCall(database, carrier.carrier.id, report.providerCallId);
      if (dial === undefined) throw notFound('call');
      await reports.apply(dial, report);
      return nothing;
    }),
    repeatable(
      legRoute('/answer', 'answer', async ({ dial, base, form }) => {
        await applied(dial, form);
        return documentReply(await documents.join(await reread(dial), base, { isAgain: false }));
      }),
    ),
    repeatable(
      legRoute('/rejoin', 'rejoin', async ({ dial, base, form }) => {
        await applied(dial, form);
        return documentReply(await documents.join(await reread(dial), base, { isAgain: true }));
      }),
    ),
    legRoute('/status', 'status', async ({ dial, form }) => {
      if (!isStreamReport(form)) await applied(dial, form);
      return nothing;
    }),
    legRoute('/amd', 'machine_detection', async ({ dial, form }) => {
      const { by, greetingEnd, providerCallId } = readAnsweredBy(form);
      if (!(await reports.link(dial, providerCallId))) throw notFound('call');
      await tell(dial.workspaceId, dial.callId, { type: 'answered_by', by });
      if (greetingEnd === 'beep') await tell(dial.workspaceId, dial.callId, { type: 'voicemail_beep' });
      return nothing;
    }),
    legRoute('/dial/{leg}', 'transfer_ended', async ({ dial, base, form }) => {
      const isOver = await transfers.ended(dial, readTransfer(form));
      const own = await dials.find(database, { callId: dial.callId, leg: callLeg });
      if (own === undefined) throw notFound('call');
      return documentReply(await (isOver ? documents.hangUp() : documents.join(own, base, { isAgain: true })));
    }),
    legRoute('/dial/{leg}/answered', 'transfer_answered', async ({ dial }) => {
      await transfers.answered(dial);
      return nothing;
    }),
    repeatable(
      legRoute('/brief/{leg}', 'brief', async ({ dial, base, form }) => {
        await applied(dial, form);
        return documentReply(await transfers.brief(await reread(dial), base));
      }),
    ),
    legRoute('/brief/{leg}/answer', 'brief_answer', async ({ dial, form }) =>
      documentReply(await transfers.briefAnswered(dial, readAnswer(form))),
    ),
    legRoute('/brief/{leg}/status', 'brief_status', async ({ dial, form }) => {
      await applied(dial, form);
      return nothing;
    }),
  ];
}
