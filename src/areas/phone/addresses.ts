/** The addresses that a carrier calls. `base` is the public address of this service, without a slash at the end. */

export const carrierPath = '/carrier/v1';

/** The addresses for the numbers of a carrier. */
export function numberAddresses(base: string, carrierId: string) {
  const root = `${base}${carrierPath}/${carrierId}`;
  return { voice: `${root}/voice`, status: `${root}/status` };
}

/** The addresses for a call. */
export function callAddresses(base: string, carrierId: string, callId: string) {
  const root = `${base}${carrierPath}/${carrierId}/calls/${callId}`;
  return {
    answer: `${root}/answer`,
    rejoin: `${root}/rejoin`,
    status: `${root}/status`,
    machine: `${root}/amd`,
    /** A cold transfer: its end, and the report that it was answered. */
    dial: (leg: string) => `${root}/dial/${leg}`,
    dialAnswered: (leg: string) => `${root}/dial/${leg}/answered`,
    /** The second leg of a warm transfer: its document, its answer, and its reports. A fallback has the last only. */
    brief: (leg: string) => `${root}/brief/${leg}`,
    briefAnswer: (leg: string) => `${root}/brief/${leg}/answer`,
    briefStatus: (leg: string) => `${root}/brief/${leg}/status`,
  };
}

export function mediaAddress(base: string, carrierId: string, token: string): string {
  return `${base}${carrierPath}/${carrierId}/media/${token}`;
}
