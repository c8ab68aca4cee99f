// Long, because all commands on chats work on the state of one model.
import { type ChatCommand, chatAgents, chatSettings } from './chat-commands.ts';
import { Any, anyText, type Dictionary, isObject, Name } from './names.ts';
import { type Exchange, type Expected, firstKey, type KeyState, type Piece } from './world.ts';

/** The model of chats with test models: their states, what is said in them, and what is kept of it. */

type Status = 'registered' | 'ongoing' | 'ended' | 'not_connected';
type Setting = (typeof chatSettings)[number];

interface ModelTurn {
  readonly role: 'agent' | 'caller';
  readonly source: string | null;
  readonly text: string;
}

type ModelEvent =
  | {
      readonly type: 'state_changed';
      readonly from: Status | null;
      readonly to: Status;
      readonly endReason: string | null;
    }
  | { readonly type: 'turn_completed'; readonly index: number }
  | { readonly type: 'control_applied' }
  | { readonly type: 'warning' };

interface SavedMessage {
  readonly text: string | null;
  readonly expected: Expected;
}

interface ChatState {
  readonly id: Name;
  readonly agent: number;
  readonly createdAt: Name;
  setting: Setting;
  status: Status;
  endReason: string | null;
  etag: Name;
  metadata: Record<string, unknown>;
  readonly turns: ModelTurn[];
  events: ModelEvent[];
  /** The next line of the script. */
  line: number;
  /** From the start, not by a later redaction. */
  readonly wasNeverStored: boolean;
  isTranscriptDeleted: boolean;
  isDeleted: boolean;
  readonly saved: Map<number, SavedMessage>;
}

const script = ['one', 'two', '[end]'];
const texts = ['Hello', 'Which day?', '明日', 'ありがとう', '"quoted" \\ 🙂', 'Bye'];
const keys = ['page', 'shop', 'note'];
const anything = new Any(() => true);
const anyNumber = new Any((value) => typeof value === 'number' && value >= 0);
const unknownCall = `call_${'0'.repeat(30)}`;

export class ChatWorld {
  readonly #key: KeyState = firstKey();
  readonly #workspace = new Name('workspace');
  readonly #agents = chatAgents.map(() => new Name('agent'));
  readonly #chats: ChatState[] = [];
  #requests = 0;
  #isReady = false;

  introduce(dictionary: Dictionary, made: readonly { id: string; secret: string; workspaceId: string }[]): void {
    const [key] = made;
    dictionary.learn(this.#workspace, key?.workspaceId);
    dictionary.learn(this.#key.id, key?.id);
    dictionary.learn(this.#key.secret, key?.secret);
  }

  exchangesOf(command: ChatCommand): Exchange[] {
    const setup = this.#isReady ? [] : chatAgents.map((_, place) => this.#createAgent(place));
    this.#isReady = true;
    return [...setup, this.#exchangeOf(command)];
  }

  #exchangeOf(command: ChatCommand): Exchange {
    if (command.do === 'create') return this.#create(command);
    if (command.do === 'slots') return this.#slots();
    const chat = this.#chats[command.chat % Math.max(1, this.#chats.length)];
    switch (command.do) {
      case 'message':
        return this.#message(chat, command);
      case 'say':
        return this.#say(chat, texts[command.text] as string);
      case 'get':
        return this.#on(chat, 'GET', '', undefined, (found) => this.#shown(found));
      case 'events':
        return this.#on(chat, 'GET', '/events?limit=200', undefined, (found) => this.#eventsOf(found));
      case 'transcript':
        return this.#on(chat, 'GET', '/transcript', undefined, (found) => this.#transcriptOf(found));
      case 'update':
        return this.#update(chat, keys[command.key] as string, command.value);
      case 'end':
        return this.#on(chat, 'POST', '/end', undefined, (found) => this.#end(found));
      case 'redact':
        return this.#redact(chat, chatSettings[command.to + 1] as Setting);
      case 'delete':
        return this.#on(chat, 'DELETE', '', undefined, (found) => this.#delete(found));
    }
  }

  #send(method: string, path: readonly Piece[], body: unknown, expected: Expected, repeatKey?: string): Exchange {
    const headers = {
      'X-Request-Id': [this.#requestId()],
      ...(repeatKey !== undefined && { 'Idempotency-Key': [repeatKey] }),
    };
    return { method, path, key: this.#key, headers, ...(body !== undefined && { body }), expected };
  }

  /** A request for a chat, which may be gone. */
  #on(
    chat: ChatState | undefined,
    method: string,
    path: string,
    body: unknown,
    work: (chat: ChatState) => Expected,
    repeatKey?: string,
  ): Exchange {
    this.#requests += 1;
    const expected = chat === undefined || chat.isDeleted ? this.#refusal(404, 'NOT_FOUND') : work(chat);
    return this.#send(method, ['/api/v1/calls/', chat?.id ?? unknownCall, path], body, expected, repeatKey);
  }

  #requestId(): string {
    return `chat-${this.#requests}`;
  }

  #refusal(status: number, code: string, details?: unknown): Expected {
    const error = { code, message: anyText, ...(details !== undefined && { details }), requestId: this.#requestId() };
    return { status, body: { error } };
  }

  #conflict({ status }: ChatState, reason: string | null = null): Expected {
    const isSame = (value: unknown) => isObject(value) && value.status === status && value.reason === reason;
    return this.#refusal(409, 'STATE_CONFLICT', new Any(isSame));
  }

  #unprocessable(field: string): Expected {
    const names = (value: unknown) => isObject(value) && isObject(value.fieldErrors) && field in value.fieldErrors;
    return this.#refusal(422, 'UNPROCESSABLE_CONTENT', new Any(names));
  }

  #createAgent(place: number): Exchange {
    this.#requests += 1;
    const kind = chatAgents[place] as (typeof chatAgents)[number];
    const responseEngine = {
      type: 'single_prompt',
      model: kind === 'script' ? 'test-script' : 'test-echo',
      prompt: script.join('\n'),
    };
    const body = { name: kind, voiceId: 'v', beginMessage: kind === 'greeter' ? 'Welcome.' : '', responseEngine };
    const agent = this.#agents[place] as Name;
    const check: Expected['check'] = ({ id }, dictionary) => dictionary.learn(agent, id);
    return this.#send('POST', ['/api/v1/agents'], body, { status: 201, body: anything, etag: new Name('etag'), check });
  }

  #create({ agent, setting: place, metadata }: { agent: number; setting: number; metadata: boolean }): Exchange {
    this.#requests += 1;
    const setting = chatSettings[place] as Setting;
    const given = metadata ? { page: 'first' } : {};
    const chat: ChatState = {
      id: new Name('call'),
      agent,
      createdAt: new Name('time'),
      setting,
      status: 'registered',
      endReason: null,
      etag: new Name('etag'),
      metadata: setting === 'basic_attributes_only' ? {} : given,
      turns: [],
      events: [{ type: 'state_changed', from: null, to: 'registered', endReason: null }],
      line: 0,
      wasNeverStored: setting === 'basic_attributes_only',
      isTranscriptDeleted: false,
      isDeleted: false,
      saved: new Map(),
    };
    if (setting === 'everything_except_pii') chat.events.push({ type: 'warning' });
    this.#chats.push(chat);
    // The model refers to agents by names, whose values differ on the engines.
    const body = {
      type: 'chat',
      agentId: this.#agents[agent],
      agentVersion: 'latest',
      dataStorageSetting: setting,
      metadata: given,
    };
    const access = { token: anyText, expiresAt: anyText, liveUrl: anyText };
    const shown = { ...this.#bodyOf(chat), access };
    return this.#send('POST', ['/api/v1/calls'], body, { status: 201, body: shown, etag: chat.etag });
  }

  #message(
    chat: ChatState | undefined,
    { text, repeatKey }: { text: number | null; repeatKey: number | null },
  ): Exchange {
    const said = text === null ? null : (texts[text] as string);
    const body = said === null ? {} : { text: said };
    const name = repeatKey === null ? undefined : `repeat ${this.#chats.indexOf(chat as ChatState)}-${repeatKey}`;
    const work = (found: ChatState): Expected => {
      const saved = repeatKey === null ? undefined : found.saved.get(repeatKey);
      if (saved !== undefined) return this.#replayed(found, saved, said);
      const expected = this.#answer(found, said);
      if (expected.status === 200 && repeatKey !== null) found.saved.set(repeatKey, { text: said, expected });
      return expected;
    };
    // The key is known after the call is gone.
    const earlier = repeatKey === null ? undefined : chat?.saved.get(repeatKey);
    if (chat?.isDeleted === true && earlier !== undefined && earlier.text !== said) {
      this.#requests += 1;
      const path = ['/api/v1/calls/', chat.id, '/messages'];
      return this.#send('POST', path, body, this.#refusal(422, 'IDEMPOTENCY_KEY_REUSED'), name);
    }
    return this.#on(chat, 'POST', '/messages', body, work, name);
  }

  #replayed(chat: ChatState, { text, expected }: SavedMessage, said: string | null): Expected {
    if (text !== said) return this.#refusal(422, 'IDEMPOTENCY_KEY_REUSED');
    const isKept = chat.setting === 'everything' || !isOver(chat);
    if (isKept) return { ...expected, isReplay: true };
    const isRemoved = (value: unknown) => isObject(value) && value.reason === 'content_removed';
    return this.#refusal(409, 'STATE_CONFLICT', new Any(isRemoved));
  }

  #answer(chat: ChatState, text: string | null): Expected {
    if (isOver(chat)) return this.#conflict(chat);
    if (text === null && chat.status === 'ongoing') return this.#unprocessable('text');
    const first = chat.turns.length;
    if (chat.status === 'registered') this.#connect(chat);
    if (text !== null) this.#reply(chat, text);
    chat.etag = new Name('etag');
    const turns = chat.turns.slice(first).map((turn, place) => turnBody(turn, first + place));
    return { status: 200, body: { turns, status: chat.status } };
  }

  #connect(chat: ChatState): void {
    this.#change(chat, 'ongoing', null);
    if (chatAgents[chat.agent] === 'greeter') this.#add(chat, { role: 'agent', source: 'begin', text: 'Welcome.' });
  }

  #reply(chat: ChatState, text: string): void {
    this.#add(chat, { role: 'caller', source: null, text });
    const reply =
      chatAgents[chat.agent] === 'script' ? (script[Math.min(chat.line, script.length - 1)] as string) : text;
    chat.line += 1;
    if (reply === '[end]') this.#change(chat, 'ended', 'agent_hangup');
    else this.#add(chat, { role: 'agent', source: 'engine', text: reply });
  }

  #add(chat: ChatState, turn: ModelTurn): void {
    chat.turns.push(turn);
    if (chat.setting !== 'basic_attributes_only')
      chat.events.push({ type: 'turn_completed', index: chat.turns.length - 1 });
  }

  #change(chat: ChatState, to: Status, endReason: string | null): void {
    chat.events.push({ type: 'state_changed', from: chat.status, to, endReason });
    chat.status = to;
    chat.endReason = endReason;
  }

  #say(chat: ChatState | undefined, text: string): Exchange {
    return this.#on(chat, 'POST', '/control', { action: 'say', text }, (found) => {
      if (found.status !== 'ongoing') return this.#conflict(found);
      this.#add(found, { role: 'agent', source: 'control', text });
      found.events.push({ type: 'control_applied' });
      return { status: 200, body: { callId: found.id, action: 'say', sequence: found.events.length } };
    });
  }

  #update(chat: ChatState | undefined, key: string, value: number | null): Exchange {
    const given = value === null ? null : `value ${value}`;
    return this.#on(chat, 'PATCH', '', { metadata: { [key]: given } }, (found) => {
      if (found.setting === 'basic_attributes_only') return this.#unprocessable('metadata');
      const { [key]: _, ...others } = found.metadata;
      if (given === null) found.metadata = others;
      else found.metadata = { ...found.metadata, [key]: given };
      found.etag = new Name('etag');
      return this.#shown(found);
    });
  }

  #end(chat: ChatState): Expected {
    if (isOver(chat)) return this.#shown(chat);
    if (chat.status === 'ongoing') this.#change(chat, 'ended', 'api_end');
    else this.#change(chat, 'not_connected', 'canceled');
    chat.etag = new Name('etag');
    return this.#shown(chat);
  }

  #redact(chat: ChatState | undefined, to: Setting): Exchange {
    return this.#on(chat, 'POST', '/redact', { to }, (found) => {
      if (!isOver(found)) return this.#conflict(found);
      if (to === found.setting) return this.#shown(found);
      if (chatSettings.indexOf(to) < chatSettings.indexOf(found.setting)) return this.#unprocessable('to');
      if (to === 'basic_attributes_only') {
        found.isTranscriptDeleted = found.turns.length > 0;
        found.events = found.events.filter(({ type }) => type !== 'turn_completed' && type !== 'warning');
        found.metadata = {};
      } else found.events.splice(-1, 0, { type: 'warning' });
      found.setting = to;
      found.etag = new Name('etag');
      return this.#shown(found);
    });
  }

  #delete(chat: ChatState): Expected {
    if (!isOver(chat)) return this.#conflict(chat);
    chat.isDeleted = true;
    return { status: 200, body: { id: chat.id, deleted: true } };
  }

  #shown(chat: ChatState): Expected {
    return { status: 200, body: this.#bodyOf(chat), etag: chat.etag };
  }

  #transcriptOf(chat: ChatState): Expected {
    const status = transcriptStatusOf(chat);
    const hasReason = (value: unknown) => isObject(value) && value.reason === status;
    if (status === 'not_stored' || status === 'deleted') return this.#refusal(404, 'NOT_FOUND', new Any(hasReason));
    const turns = chat.turns.map((turn, index) => turnBody(turn, index));
    return { status: 200, body: { callId: chat.id, status, language: anyText, turns } };
  }

  #eventsOf(chat: ChatState): Expected {
    const items = chat.events.map((event, place) => ({
      id: anyText,
      callId: chat.id,
      sequence: place + 1,
      type: event.type,
      at: anyText,
      offsetMs: anything,
      data: dataOf(chat, event),
    }));
    const next = isOver(chat) ? null : new Name('cursor');
    return { status: 200, body: { items, pagination: { nextCursor: next } }, link: next };
  }

  #slots(): Exchange {
    this.#requests += 1;
    const open = this.#chats.filter((chat) => !isOver(chat)).length;
    const body = { limit: 20, active: 0, reservedInbound: 0, queued: 0, chatLimit: 200, chatActive: open };
    return this.#send('GET', ['/api/v1/call-concurrency'], undefined, { status: 200, body });
  }

  #bodyOf(chat: ChatState): Record<string, unknown> {
    const wasConnected = chat.events.some((event) => event.type === 'state_changed' && event.to === 'ongoing');
    const endedBy = chat.endReason === null ? null : chat.endReason === 'agent_hangup' ? 'agent' : 'api';
    return {
      id: chat.id,
      workspaceId: this.#workspace,
      type: 'chat',
      direction: 'inbound',
      status: chat.status,
      agentId: this.#agents[chat.agent],
      agentVersion: 1,
      isDraft: true,
      engine: 'test',
      phoneNumberId: null,
      from: null,
      to: null,
      batchId: null,
      workflowRunId: null,
      externalId: null,
      variables: {},
      collectedVariables: {},
      metadata: { ...chat.metadata },
      dataStorageSetting: chat.setting,
      createdAt: chat.createdAt,
      scheduledAt: null,
      startedAt: wasConnected ? anyText : null,
      endedAt: isOver(chat) ? anyText : null,
      durationMs: isOver(chat) && wasConnected ? anyNumber : null,
      endReason: chat.endReason,
      endedBy,
      endDetail: null,
      transcriptStatus: transcriptStatusOf(chat),
      recording: { status: 'none', durationMs: null, sizeBytes: null },
      latency: anything,
      usage: anything,
      cost: null,
      conversation: null,
      analysis: anything,
      knowledgeBases: [],
      notApplied: [],
      providerCallId: null,
      access: null,
      updatedAt: anyText,
    };
  }
}

function isOver({ status }: ChatState): boolean {
  return status === 'ended' || status === 'not_connected';
}

function transcriptStatusOf(chat: ChatState): string {
  if (chat.isTranscriptDeleted) return 'deleted';
  if (chat.wasNeverStored) return 'not_stored';
  if (isOver(chat)) return chat.turns.length > 0 ? 'available' : 'none';
  return chat.status === 'ongoing' ? 'live' : 'none';
}

function dataOf(chat: ChatState, event: ModelEvent): unknown {
  if (event.type === 'state_changed') return { from: event.from, to: event.to, endReason: event.endReason };
  if (event.type === 'turn_completed') return { turn: turnBody(chat.turns[event.index] as ModelTurn, event.index) };
  return event.type === 'warning' ? { code: 'redaction_is_partial', message: anyText } : { action: 'say' };
}

function turnBody({ role, source, text }: ModelTurn, index: number): Record<string, unknown> {
  return {
    index,
    role,
    source,
    text,
    unspokenText: null,
    startMs: anyNumber,
    endMs: anyNumber,
    words: [],
    interrupted: false,
    latency: anything,
    sources: [],
    toolCall: null,
  };
}
