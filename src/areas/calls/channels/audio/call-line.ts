import type { Agent } from '../../../../contract/agents/agent.ts';
import type { Call } from '../../../../contract/calls/call.ts';
import type { ControlCall } from '../../../../contract/calls/requests.ts';
import { AppError, stateConflict, unprocessable } from '../../../../core/errors.ts';
import type { Database } from '../../../../storage/database.ts';
import { phoneSettingsOf, transfersOf } from '../../../../voice/engines/agent-parts.ts';
import type { PhoneActions, TransferResult, TransferTarget } from '../../../../voice/ports.ts';
import type { SpokenSession } from '../../../../voice/spoken/spoken-session.ts';
import type { VoicemailOptions } from '../../../../voice/spoken/voicemail.ts';
import type { PhoneLine, PhoneLines, PhoneMessage } from '../../lifecycle/phone-lines.ts';
import type { LogCallFailure } from '../../record/journal.ts';

export interface CallLineParts {
  readonly database: Database;
  readonly phone: PhoneLines;
  readonly logFailure: LogCallFailure;
}

export interface CallLineFacts {
  readonly call: Call;
  readonly agent: Agent;
  readonly line: PhoneLine;
  /** Replaces the variables in a text. */
  fill(text: string): string;
  /** Resolves once everything that was recorded is stored: nobody is called before that. */
  stored(): Promise<void>;
  readonly pressKeys: PhoneActions['pressKeys'];
  readonly play: PhoneActions['play'];
}

const defaultRingMs = 25_000;

/** The line of a phone call in this process: what the agent and the API do with it, and what its carrier reports. */
export class CallLine {
  readonly transfers: readonly TransferTarget[];
  readonly #parts: CallLineParts;
  readonly #facts: CallLineFacts;
  #onTransferEnd: ((result: TransferResult) => void) | null = null;

  constructor(parts: CallLineParts, facts: CallLineFacts) {
    this.#parts = parts;
    this.#facts = facts;
    this.transfers = transfersOf(facts.agent);
  }

  /** The line is being connected to another phone. */
  get isTransferring(): boolean {
    return this.#onTransferEnd !== null;
  }

  actions(): PhoneActions {
    const { pressKeys, play } = this.#facts;
    return {
      transfers: this.transfers,
      pressKeys,
      play,
      transfer: (target, onResult) => void this.#transfer(target, onResult),
      doNotCallAgain: (onResult) => void this.#doNotCallAgain(onResult),
    };
  }

  /** Only somebody whom we have called can be a voicemail. */
  voicemail(): VoicemailOptions | null {
    const { agent, call, fill } = this.#facts;
    const { detect = 'audio', action = 'hangup', message = '' } = phoneSettingsOf(agent).voicemail ?? { detect: 'off' };
    if (detect === 'off' || call.direction !== 'outbound') return null;
    return { detect, action, message: fill(message) };
  }

  /** What is said first in a call that is recorded. */
  recordingNotice(): string {
    return this.#facts.fill(phoneSettingsOf(this.#facts.agent).recordingNotice ?? '');
  }

  // What the API does

  /** Throws if the call cannot be transferred there. */
  async checkTransfer(body: ControlCall): Promise<void> {
    const { call, line } = this.#facts;
    if (this.isTransferring) {
      throw stateConflict('call', { status: 'ongoing', allowed: ['ongoing'], reason: 'transfer_in_progress' });
    }
    if (body.to !== undefined) await this.#parts.phone.checkTransfer(this.#parts.database, call, line, body.to);
    else if (this.targetOf(body) === undefined) {
      throw unprocessable({ name: ['is not the name of a transfer in agentSettings.phone.transfers'] });
    }
  }

  targetOf({ name, to, mode = 'cold' }: ControlCall): TransferTarget | undefined {
    if (to === undefined) return this.transfers.find((entry) => entry.name === name);
    return { name: null, to, mode, brief: null, extension: null, ringTimeoutMs: defaultRingMs, showCaller: false };
  }

  // What the carrier reports

  tell(message: Exclude<PhoneMessage, { type: 'hangup' }>, spoken: SpokenSession) {
    switch (message.type) {
      case 'answered_by':
        return spoken.answeredBy(message.by);
      case 'voicemail_beep':
        return spoken.voicemailBeep();
      case 'transfer':
        return this.#transferEnded(message, spoken);
      default:
        message satisfies never;
    }
  }

  #transferEnded({ status, reason }: Extract<PhoneMessage, { type: 'transfer' }>, spoken: SpokenSession): void {
    const onEnd = this.#onTransferEnd;
    this.#onTransferEnd = null;
    if (status === 'failed') onEnd?.({ transferred: false, reason: reason ?? 'failed' });
    else if (onEnd !== null) onEnd({ transferred: true });
    // The process that began the transfer is lost.
    else spoken.stop('transferred');
  }

  // What the agent does

  async #transfer(target: TransferTarget, onResult: (result: TransferResult) => void): Promise<void> {
    const { call, line, fill, stored } = this.#facts;
    const { database, phone, logFailure } = this.#parts;
    this.#onTransferEnd = onResult;
    try {
      await stored();
      await phone.checkTransfer(database, call, line, target.to);
      await phone.transfer(call, line, { ...target, brief: target.brief === null ? null : fill(target.brief) });
    } catch (error) {
      const isForbidden = error instanceof AppError && error.code === 'UNPROCESSABLE_CONTENT';
      if (!isForbidden) logFailure(call.id, 'a call could not be transferred', error);
      this.#onTransferEnd = null;
      onResult({ transferred: false, reason: isForbidden ? 'not_allowed' : 'failed' });
    }
  }

  async #doNotCallAgain(onResult: (failure: string | null) => void): Promise<void> {
    const { call, line, stored } = this.#facts;
    const { database, phone, logFailure } = this.#parts;
    const number = call.direction === 'outbound' ? line.to : line.from;
    if (number === null) return onResult('the number of the caller is withheld');
    try {
      await stored();
      await database.transaction((queries) => phone.doNotCall(queries, call, number));
      onResult(null);
    } catch (error) {
      logFailure(call.id, 'a number could not be put on the do-not-call list', error);
      onResult('the number could not be put on the do-not-call list');
    }
  }
}
