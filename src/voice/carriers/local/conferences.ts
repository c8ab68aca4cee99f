import { newSid } from './formats.ts';
import type { Leg } from './leg.ts';
import { frameBytes, mixed, silence } from './mulaw.ts';
import { untilAborted } from './waiting.ts';

export interface ConferenceEntry {
  readonly account: string;
  readonly name: string;
  readonly startsOnEnter: boolean;
  readonly endsOnExit: boolean;
  readonly maxParticipants: number;
  readonly report: (event: string, conferenceSid: string) => void;
}

interface Participant {
  readonly leg: Leg;
  readonly entry: ConferenceEntry;
  readonly leave: () => void;
}

interface Conference {
  readonly sid: string;
  readonly participants: Set<Participant>;
  hasStarted: boolean;
}

/** Rooms where everyone hears everyone else. */
export class Conferences {
  readonly #rooms = new Map<string, Conference>();

  /** Until the participant leaves, or (`endsOnExit`) the conference ends. The conference's id. */
  async join(leg: Leg, entry: ConferenceEntry, signal: AbortSignal): Promise<string> {
    const key = `${entry.account} ${entry.name}`;
    const room = this.#rooms.get(key) ?? { sid: newSid('CF'), participants: new Set(), hasStarted: false };
    if (room.participants.size >= entry.maxParticipants) return room.sid;
    this.#rooms.set(key, room);
    let participant: Participant | null = null;
    try {
      await untilAborted<void>(signal, (resolve) => {
        participant = { leg, entry, leave: resolve };
        this.#enter(room, participant);
        return undefined;
      });
    } finally {
      if (participant !== null) this.#exit(key, room, participant);
    }
    return room.sid;
  }

  #enter(room: Conference, participant: Participant): void {
    room.participants.add(participant);
    participant.entry.report('participant-join', room.sid);
    const canStart = [...room.participants].some(({ entry }) => entry.startsOnEnter);
    if (!room.hasStarted && canStart && room.participants.size > 1) {
      room.hasStarted = true;
      participant.entry.report('conference-start', room.sid);
    }
    participant.leg.source = () => this.#heardBy(room, participant.leg);
    if (room.hasStarted) for (const { leg } of room.participants) leg.hasMedia();
  }

  #exit(key: string, room: Conference, participant: Participant): void {
    room.participants.delete(participant);
    participant.leg.source = null;
    participant.entry.report('participant-leave', room.sid);
    if (participant.entry.endsOnExit) for (const other of room.participants) other.leave();
    if (room.participants.size > 0) return;
    this.#rooms.delete(key);
    participant.entry.report('conference-end', room.sid);
  }

  #heardBy(room: Conference, leg: Leg): Uint8Array {
    if (!room.hasStarted) return silence(frameBytes);
    return mixed([...room.participants].filter((other) => other.leg !== leg).map((other) => other.leg.frame));
  }
}
