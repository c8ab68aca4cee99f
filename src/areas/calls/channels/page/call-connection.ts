import { type ClientFrames, closeCodes } from '../../../../contract/calls/live.ts';
import type { TranscriptFrame } from '../../../../voice/spoken/live-transcript.ts';
import type { ToolResult } from '../../../../voice/tools/tool.ts';
import type { FloorHolder } from '../../../../voice/turn/floor-holder.ts';
import type { ClientToolCall } from '../audio/client-tools.ts';
import type { CloseReason, Connection, OwnedCall } from '../audio/owned-call.ts';
import type { LiveSocket, OtherFrame, SocketUser } from './live-socket.ts';

export interface CallConnectionFacts {
  readonly call: OwnedCall;
  readonly epoch: number;
  /** What the page needs to resume the connection if it is lost. */
  readonly resumeKey: string;
}

const closeCodesOf = {
  joined_elsewhere: closeCodes.joinedElsewhere,
  going_away: closeCodes.goingAway,
  too_much: closeCodes.tooMuch,
} as const satisfies Record<CloseReason, unknown>;

/** A page in a spoken call: its frames are what the caller does, and what happens in the call becomes frames. */
export class CallConnection implements Connection, SocketUser {
  readonly hasAudio = true;
  readonly #socket: LiveSocket;
  readonly #facts: CallConnectionFacts;

  constructor(socket: LiveSocket, facts: CallConnectionFacts) {
    this.#socket = socket;
    this.#facts = facts;
  }

  // From the page

  start({ input, output }: ClientFrames['start']): void {
    const { call, resumeKey } = this.#facts;
    const { id: callId, agent } = call;
    const { name: agentName, language } = agent;
    const audio = { inputRate: input?.rate ?? 16_000, transport: this.#socket.transport(output?.rate ?? 16_000) };
    // Before anything is said.
    void call.start(audio, (capabilities) =>
      this.#socket.send({ type: 'ready', callId, agentName, language, capabilities, resumeKey }),
    );
  }

  receive(frame: OtherFrame) {
    const { call, epoch } = this.#facts;
    call.confirmResumed(epoch);
    switch (frame.type) {
      case 'text': {
        const { text } = frame;
        if (text === undefined) return this.#socket.badFrame('text: is required in a web call');
        return call.act(({ spoken }) => spoken.text(text));
      }
      case 'played':
        return call.act(({ spoken }) => spoken.played(frame.utterance, frame.samples));
      case 'recognized':
        return call.act(({ spoken }) => spoken.recognized(frame.text, frame.isFinal));
      case 'dtmf':
        return call.act(({ spoken }) => spoken.dtmf(frame.digits));
      case 'tool_result':
        return call.act(({ clientTools }) => clientTools.settle(frame.toolCallId, resultOf(frame)));
      case 'end':
        return call.hangUp();
      default:
        frame satisfies never;
    }
  }

  audio(samples: Int16Array): void {
    const { call, epoch } = this.#facts;
    call.confirmResumed(epoch);
    call.audio(samples);
  }

  closed(): void {
    this.#facts.call.detach(this);
  }

  // To the page

  onTranscript(part: TranscriptFrame): void {
    this.#socket.send({ type: 'transcript', ...part });
  }

  onFloor(floor: FloorHolder): void {
    this.#socket.send({ type: 'state', floor });
  }

  onMetadata(metadata: unknown): void {
    this.#socket.send({ type: 'metadata', metadata });
  }

  callTool(call: ClientToolCall): void {
    this.#socket.send({ type: 'tool_call', ...call });
  }

  /** A page has no keys to press, and no sounds but speech. */
  pressKeys(): boolean {
    return false;
  }

  play(): void {}

  close(reason: CloseReason): void {
    this.#socket.close(closeCodesOf[reason]);
  }

  /** The last event closes the socket. */
  ended(): void {}
}

function resultOf({ result = null, error }: ClientFrames['tool_result']): ToolResult {
  return error === undefined ? { isError: false, result } : { isError: true, code: 'failed', message: error };
}
