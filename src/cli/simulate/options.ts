import type { ConnectionOptions } from '../connection/connection.ts';

export interface SimulateOptions extends ConnectionOptions {
  readonly agent?: string;
  readonly version?: string;
  readonly runs: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly interactive?: boolean;
  readonly explore?: boolean;
  readonly write?: string;
  readonly cassette?: string;
  readonly record?: string;
}
