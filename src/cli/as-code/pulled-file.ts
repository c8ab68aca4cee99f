/**
 * `kept`: changed only locally, so the file is left alone. `conflict`: changed both locally and on the server, or changed
 * locally and deleted on the server.
 */
export type PullResult = 'written' | 'unchanged' | 'removed' | 'kept' | 'conflict';

export interface PulledFile {
  readonly file: string;
  readonly id: string;
  readonly name: string | null;
  readonly result: PullResult;
  readonly reason: string | null;
}
