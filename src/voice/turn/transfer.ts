import type { CommandList } from './command-list.ts';
import type { TransferSource } from './events.ts';

/** Rule 19: a call that is to be transferred, or is being transferred. */
export class Transfer {
  private status: 'none' | 'requested' | 'running' = 'none';
  private source: TransferSource = 'tool';
  private readonly out: CommandList;

  constructor(out: CommandList) {
    this.out = out;
  }

  /** Whether the transfer waits until the agent has finished speaking. */
  get isRequested(): boolean {
    return this.status === 'requested';
  }

  get isRunning(): boolean {
    return this.status === 'running';
  }

  /** Whether a reply waits for its result. */
  get isAwaited(): boolean {
    return this.source === 'tool';
  }

  request(source: TransferSource): void {
    this.status = 'requested';
    this.source = source;
  }

  /** The caller speaks, or is gone: they are not transferred after all. */
  withdraw(): void {
    if (!this.isRequested) return;
    this.status = 'none';
    this.out.push({ type: 'transfer.withdraw' });
  }

  start(): void {
    this.status = 'running';
    this.out.push({ type: 'transfer.start' });
  }

  end(): void {
    this.status = 'none';
  }
}
