/** Faults of the carrier, for tests. Each applies `times` times (once by default) to what it matches, and is then used up. */

export interface RequestFault {
  /**
   * `lost_before` and `lost_after`: the connection is cut before or after the request has its effect. `delay`: the
   * response comes `ms` later.
   */
  readonly kind: 'lost_before' | 'lost_after' | 'error_500' | 'too_many' | 'delay';
  readonly ms?: number;
}

export type WebhookKind = 'document' | 'status' | 'stream' | 'amd' | 'dial' | 'conference';

export interface WebhookFault {
  /** `reversed`: the next webhook of the call is sent first. */
  readonly kind: 'twice' | 'late' | 'reversed' | 'missing' | 'badly_signed';
  /** How late; 1,000 by default. */
  readonly ms?: number;
}

export interface MediaFault {
  /** `drop`: the socket is cut. `no_marks`: marks are not returned. `stall`: no media is sent for `ms`. */
  readonly kind: 'drop' | 'no_marks' | 'stall';
  /** After the start of the stream; 0 by default. */
  readonly afterMs?: number;
  /** How long a stall takes; until the end of the stream by default. */
  readonly ms?: number;
  /** After `drop`, the call stays where it is instead of going on with the next verb. */
  readonly stays?: boolean;
}

interface Match {
  readonly times?: number;
  readonly callSid?: string;
  /** The called number. */
  readonly to?: string;
}

export type Fault =
  | (Match & { readonly of: 'request'; readonly fault: RequestFault; readonly method?: string; readonly path?: string })
  | (Match & {
      readonly of: 'webhook';
      readonly fault: WebhookFault;
      readonly webhook?: WebhookKind;
      readonly callStatus?: string;
    })
  | (Match & { readonly of: 'media'; readonly fault: MediaFault });

interface Subject {
  readonly callSid?: string | undefined;
  readonly to?: string | undefined;
}

/** Faults of phones that never applied, such as of media in a call without any, are dropped in the end. */
const maxArmed = 10_000;

export class Faults {
  #armed: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.#armed.push({ fault, left: fault.times ?? 1 });
    if (this.#armed.length > maxArmed) this.#armed.shift();
  }

  clear(): void {
    this.#armed = [];
  }

  ofRequest(subject: Subject & { method: string; path: string }): RequestFault | null {
    return this.#use((fault) =>
      fault.of === 'request' &&
      isSame(fault.method, subject.method) &&
      (fault.path === undefined || subject.path.includes(fault.path)) &&
      matches(fault, subject)
        ? fault.fault
        : null,
    );
  }

  ofWebhook(subject: Subject & { webhook: WebhookKind; callStatus: string }): WebhookFault | null {
    return this.#use((fault) =>
      fault.of === 'webhook' &&
      isSame(fault.webhook, subject.webhook) &&
      isSame(fault.callStatus, subject.callStatus) &&
      matches(fault, subject)
        ? fault.fault
        : null,
    );
  }

  ofMedia(subject: Subject): MediaFault | null {
    return this.#use((fault) => (fault.of === 'media' && matches(fault, subject) ? fault.fault : null));
  }

  #use<Found>(find: (fault: Fault) => Found | null): Found | null {
    for (const armed of this.#armed) {
      const found = find(armed.fault);
      if (found === null) continue;
      armed.left -= 1;
      if (armed.left <= 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return found;
    }
    return null;
  }
}

function matches(fault: Match, subject: Subject): boolean {
  return isSame(fault.callSid, subject.callSid) && isSame(fault.to, subject.to);
}

function isSame(wanted: string | undefined, actual: string | undefined): boolean {
  return wanted === undefined || wanted === actual;
}
