import type { TransferSource } from './events.ts';
import type { Floor } from './floor.ts';
import type { Parts } from './parts.ts';

/** The caller leaves and comes back: a transport that is gone and may resume, and a transfer to another phone. */
export class AwayEvents {
  private readonly parts: Parts;
  private readonly floor: Floor;

  constructor(parts: Parts, floor: Floor) {
    this.parts = parts;
    this.floor = floor;
  }

  onLost(): void {
    const { floor } = this;
    const { transfer, transport } = this.parts;
    floor.keepKeys();
    transfer.withdraw();
    transport.detach(floor.state);
    floor.enterLost();
  }

  onResumed() {
    const { floor } = this;
    const { listening, service, replies, speech, transfer, transport } = this.parts;
    if (floor.state !== 'lost') return;
    transport.resume();
    if (transfer.isRunning) return floor.leaveLost('transferring');
    const isSilent = speech.current === null && !replies.isExpected;
    if (isSilent && listening.hasWords) return floor.answer();
    if (!isSilent || !service.isEmpty) return this.resumeSpeech();
    transport.restoreIdleTimers();
    if (transport.stateBefore === 'opening') floor.leaveLost('opening');
    else floor.enterIdle();
  }

  private resumeSpeech(): void {
    const { floor } = this;
    const { replies, speech } = this.parts;
    floor.leaveLost('thinking');
    speech.restart();
    if (speech.current === null) {
      replies.finishSilent();
      floor.afterSpeech(0);
    }
    if (floor.state === 'thinking') replies.restartTimeouts();
  }

  /** Rule 19: it begins once the agent has finished speaking. */
  onTransferRequested(by: TransferSource): void {
    const { floor } = this;
    const { replies, speech, transfer } = this.parts;
    const isForced = by === 'api';
    transfer.request(by);
    if (floor.isAway || (floor.isCallers && !isForced)) transfer.withdraw();
    if (!transfer.isRequested) return;
    // Sentences that the service itself says come first, such as the announcement of the transfer.
    if (isForced && (floor.isAgents || speech.current?.turn === 0)) replies.cutShort();
    else if (isForced) floor.seize();
    floor.transferWhenSaid();
  }

  /** A reply that waits for its result goes on. */
  onTransferFailed(): void {
    const { floor } = this;
    const { transfer, transport } = this.parts;
    if (!transfer.isRunning) return;
    transfer.end();
    if (floor.state === 'lost') transport.toolEnded();
    else floor.afterSpeech(0);
  }
}
