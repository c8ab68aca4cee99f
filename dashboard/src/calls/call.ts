import type { Call } from '../../../sdk/src/index.ts';

export type CallType = Call['type'];
export type CallStatus = Call['status'];
export type Direction = Call['direction'];
export type TerminalStatus = Extract<CallStatus, 'ended' | 'not_connected' | 'error'>;
export type EndReason = NonNullable<Call['endReason']>;
export type StorageSetting = Call['dataStorageSetting'];
export type NotAppliedReason = Call['notApplied'][number]['reason'];
export type UsageEntry = Call['usage']['breakdown'][number];

export const callTypes: readonly CallType[] = ['chat', 'web', 'phone'];
export const directions: readonly Direction[] = ['inbound', 'outbound'];
export const openStatuses: readonly Exclude<CallStatus, TerminalStatus>[] = [
  'ongoing',
  'ringing',
  'registered',
  'queued',
];
export const terminalStatuses: readonly TerminalStatus[] = ['ended', 'not_connected', 'error'];

export function isOpen({ status }: Pick<Call, 'status'>): boolean {
  return (openStatuses as readonly string[]).includes(status);
}

/** Whether the agent only repeats what it hears, because what its replies come from is not connected. */
export function isRehearsed({ notApplied }: Pick<Call, 'notApplied'>): boolean {
  return notApplied.some(({ field }) => field === 'responseEngine');
}
