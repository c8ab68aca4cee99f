import { waitingTone } from '../audio/tones.ts';
import type { RecordedEvent, TransferTarget } from '../ports.ts';
import type { EndReason, TurnEvent } from '../turn/events.ts';
import { hearingRate } from './call-rates.ts';
import type { SpokenSessionParts } from './spoken-session-parts.ts';
import { type AnsweredBy, Voicemail } from './voicemail.ts';

interface LineHost {
  /** Samples per second of what the agent says. */
  outputRate(): number;
  dispatch(event: TurnEvent): void;
  record(event: RecordedEvent): void;
  stop(reason: EndReason): void;
}

type LineParts = Pick<SpokenSessionParts, 'clock' | 'agent' | 'phone' | 'voicemail'>;

/** How often a caller who waits for a person hears a tone. */
const waitingToneMs = 5000;

/** What only a phone call has: who answers it, and what a caller hears who is being transferred. */
export class SpokenLine {
  /** Nobody listens to the caller during a transfer. */
  isTransferring = false;
  private readonly parts: LineParts;
  private readonly host: LineHost;
  private cancelTone: () => void = () => {};
  private voicemail: Voicemail | null = null;
  /** What is being said is left on a voicemail. */
  private isLeavingMessage = false;

  constructor(parts: LineParts, host: LineHost) {
    this.parts = parts;
    this.host = host;
  }

  /** A new conversation begins: from now on, it is found out who has answered. */
  begin(): void {
    const { clock, agent, voicemail = null } = this.parts;
    if (voicemail === null) return;
    const { dispatch, record, stop } = this.host;
    this.voicemail = new Voicemail({
      ...voicemail,
      clock,
      language: agent.language,
      rate: hearingRate,
      onVerdict: (by, source) => record({ type: 'answered_by', by, source }),
      hangUp: () => stop('voicemail'),
      hush: () => dispatch({ type: 'mute', isOn: true }),
      leave: (text) => {
        this.isLeavingMessage = true;
        dispatch({ type: 'mute', isOn: false });
        dispatch({ type: 'reply.interrupt', text, isUninterruptible: true, endCall: true });
      },
    });
  }

  /** What the caller's side sends, at 16 kHz. */
  audio(samples: Int16Array): void {
    this.voicemail?.audio(samples);
  }

  /** What was understood of it. */
  observe(event: TurnEvent): void {
    this.voicemail?.observe(event);
  }

  /** The carrier says who answered. */
  answeredBy(by: AnsweredBy): void {
    this.voicemail?.answeredBy(by);
  }

  /** The carrier has heard the tone of a voicemail. */
  voicemailBeep(): void {
    this.voicemail?.beep();
  }

  /** A transfer begins, or (null) is over. A caller who waits for a person hears that the line is not dead. */
  observeTransfer(mode: TransferTarget['mode'] | null): void {
    this.isTransferring = mode !== null;
    this.cancelTone();
    const play = (): void => {
      this.parts.phone?.play(waitingTone(this.host.outputRate()));
      this.cancelTone = this.parts.clock.after(waitingToneMs, play);
    };
    if (mode === 'warm') play();
  }

  /** The end of a call whose last words were a message on a voicemail is that of a voicemail. */
  endReason(reason: EndReason): EndReason {
    return reason === 'agent_hangup' && this.isLeavingMessage ? 'voicemail' : reason;
  }

  close(): void {
    this.cancelTone();
    this.voicemail?.close();
  }
}
