import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import { retryDelay, wait } from '../retries.ts';
import type {
  AgentInterrupted,
  AnsweredBy,
  CallEvent,
  CallWarning,
  ControlApplied,
  DtmfReceived,
  DtmfSent,
  KnowledgeSearched,
  LatencyExceeded,
  ListCallEventsQuery,
  ProviderSwitched,
  SpeechEnded,
  SpeechStarted,
  StateChanged,
  ToolCalled,
  ToolReturned,
  TransferUpdated,
  TurnCompleted,
} from '../schema.ts';

/** The data of each type of event. */
export interface CallEventTypes {
  state_changed: StateChanged;
  turn_completed: TurnCompleted;
  speech_started: SpeechStarted;
  speech_ended: SpeechEnded;
  agent_interrupted: AgentInterrupted;
  tool_called: ToolCalled;
  tool_returned: ToolReturned;
  dtmf_received: DtmfReceived;
  dtmf_sent: DtmfSent;
  answered_by: AnsweredBy;
  transfer_updated: TransferUpdated;
  control_applied: ControlApplied;
  latency_exceeded: LatencyExceeded;
  provider_switched: ProviderSwitched;
  knowledge_searched: KnowledgeSearched;
  warning: CallWarning;
}

/** An event whose `type` tells what its `data` is. Newer services may send other types: ignore them. */
export type TypedCallEvent = {
  [Type in keyof CallEventTypes]: Omit<CallEvent, 'type' | 'data'> & { type: Type; data: CallEventTypes[Type] };
}[keyof CallEventTypes];

export interface FollowOptions extends Omit<RequestOptions, 'maxRetries'> {
  /** How long a request waits for the next event, 0 to 25. Default: 20. */
  readonly waitSeconds?: number | undefined;
  /** Continues after an earlier page: its `nextCursor`. Default: from the first event. */
  readonly cursor?: string | undefined;
}

const defaultWaitSeconds = 20;

/** What happens in a call. */
export class CallEvents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the events, oldest first. Await one page, or iterate over all with `for await`: while the call is open, that
   * waits for what happens next. Use `follow` to survive a lost connection.
   */
  list(id: string, query: ListCallEventsQuery = {}, options?: RequestOptions): PagePromise<TypedCallEvent> {
    const { waitSeconds } = query;
    // An open call always has a next page: without waiting, iterating would send requests without a pause.
    const later = { ...query, waitSeconds: waitSeconds ?? defaultWaitSeconds };
    const timeout = options?.timeout ?? this.#transport.timeoutMs + later.waitSeconds * 1000;
    return this.#transport.list(path`/api/v1/calls/${id}/events`, { ...query }, { ...options, timeout }, later);
  }

  /**
   * Follows a call from its first event to its last. After a lost connection it continues where it was, for as long as
   * it takes; use `signal` to stop.
   */
  async *follow(
    id: string,
    { waitSeconds = defaultWaitSeconds, cursor: start, ...options }: FollowOptions = {},
  ): AsyncGenerator<TypedCallEvent, void, undefined> {
    let cursor = start;
    let failures = 0;
    for (;;) {
      try {
        const page = await this.list(id, { waitSeconds, cursor }, { ...options, maxRetries: 0 });
        failures = 0;
        yield* page.items;
        if (page.nextCursor === null) return;
        cursor = page.nextCursor;
      } catch (error) {
        const delayMs = retryDelay(error, failures, Math.random());
        if (delayMs === null) throw error;
        failures += 1;
        await wait(delayMs, options.signal);
      }
    }
  }
}
