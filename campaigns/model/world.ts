// Long, because all commands on agents, keys and the audit log work on the state of one model.
import { createHash } from 'node:crypto';
import {
  applied,
  descriptionOfDraft,
  type Fields,
  incomplete,
  inOrder,
  isSame,
  newFields,
  patched,
  type Version,
} from './agent.ts';
import { type Command, type Condition, scopes, words } from './commands.ts';
import { invalidChangeValues, invalidCreateValues, invalidRequests } from './invalid-requests.ts';
import { Any, anyText, type Dictionary, isObject, Name } from './names.ts';

/** The model: the content of two workspaces and the expected responses, based on the documentation alone. */

/** An ETag without quotes, as some clients send it. */
export class Unquoted {
  readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }
}

export type Piece = string | Name | Unquoted;

export interface KeyState {
  readonly id: Name;
  readonly secret: Name;
  readonly hint: Name;
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: Name;
  expiresAt: Name | string | null;
  revokedAt: Name | null;
  isRotated: boolean;
  /** When it ended, by the campaign's clock. It may still be accepted for up to a second. */
  endedAt: number | null;
}

interface AgentState {
  readonly id: Name;
  readonly number: number;
  plainName: string;
  head: Version;
  /** Earlier versions, newest last. */
  readonly earlier: Version[];
}

interface Entry {
  readonly number: number;
  readonly resource: Name;
  readonly body: Fields;
}

interface Kept {
  readonly fingerprint: string;
  readonly exchange: Exchange;
}

interface WorkspaceState {
  readonly id: Name;
  readonly name: string;
  readonly keys: KeyState[];
  /** Existing agents in order of creation. */
  agents: AgentState[];
  readonly entries: Entry[];
  readonly kept: Map<string, Kept>;
}

/** A position from which a list continues. */
interface Cursor {
  readonly name: Name;
  readonly workspace: WorkspaceState;
  readonly path: readonly Piece[];
  readonly filterName: string | null;
  readonly filter: readonly Piece[] | null;
  readonly pageAfter: (limit: number) => Expected;
  readonly scope: string;
  readonly routeId: string;
}

export interface Expected {
  readonly status: number;
  readonly body?: unknown;
  readonly etag?: Name;
  readonly isReplay?: boolean;
  readonly link?: Name | null;
  /** For values that are easier to check than to predict. */
  readonly check?: (body: Fields, dictionary: Dictionary) => string | null;
}

/** A request that refers to names, and the expected response. */
export interface Exchange {
  readonly method: string;
  readonly path: readonly Piece[];
  readonly headers: Readonly<Record<string, readonly Piece[]>>;
  readonly key: KeyState | null;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly expected: Expected;
}

const unknownAgent = `agt_${'0'.repeat(30)}`;
const unknownKey = `key_${'0'.repeat(30)}`;
const defaultLimit = 50;
const farEnd = '2099-01-01T00:00:00.000Z';
const optionalTime = new Any((value) => value === null || (typeof value === 'string' && value.endsWith('Z')));

export class World {
  readonly #workspaces: readonly WorkspaceState[];
  readonly #cursors: Cursor[] = [];
  #numbers = 0;
  #requests = 0;
  #requestId = '';

  constructor(names: readonly string[]) {
    this.#workspaces = names.map((name) => ({
      id: new Name('workspace'),
      name,
      keys: [firstKey()],
      agents: [],
      entries: [],
      kept: new Map(),
    }));
  }

  /** Registers what existed before the first command in the dictionary of an engine. */
  introduce(dictionary: Dictionary, made: readonly { id: string; secret: string; workspaceId: string }[]): void {
    for (const [index, { id, keys }] of this.#workspaces.entries()) {
      const key = keys[0] as KeyState;
      const known = made[index] as (typeof made)[number];
      dictionary.learn(id, known.workspaceId);
      dictionary.learn(key.id, known.id);
      dictionary.learn(key.secret, known.secret);
    }
  }

  /** Applies the command to the model. Most are one exchange; none if the command is not applicable. */
  exchangesOf(command: Command): Exchange[] {
    if (command.do !== 'create many') {
      const exchange = this.#exchangeOf(command);
      return exchange === null ? [] : [exchange];
    }
    return Array.from({ length: command.count }, (_, index) =>
      this.#create({
        ...command,
        do: 'create',
        name: [...command.name, index % words.length],
        body: {},
        repeatKey: null,
        isStrict: false,
      }),
    );
  }

  #exchangeOf(command: Exclude<Command, { do: 'create many' }>): Exchange | null {
    switch (command.do) {
      case 'create':
        return this.#create(command);
      case 'get':
        return this.#read(command.by, command.agent, 'latest', command.condition, true);
      case 'version':
        return this.#read(command.by, command.agent, this.#versionText(command), command.condition, false);
      case 'change':
        return this.#change(command);
      case 'publish':
        return this.#publish(command);
      case 'duplicate':
        return this.#duplicate(command);
      case 'delete':
        return this.#delete(command);
      case 'restore':
        return this.#restore(command);
      case 'versions':
        return this.#versions(command);
      case 'diff':
        return this.#diff(command);
      case 'list':
        return this.#list(command);
      case 'next page':
        return this.#nextPage(command);
      case 'create key':
        return this.#createKey(command);
      case 'keys':
        return this.#listKeys(command);
      case 'key':
        return this.#getKey(command);
      case 'rotate':
        return this.#rotate(command);
      case 'revoke':
        return this.#revoke(command);
      case 'whoami':
        return this.#whoami(command);
      case 'trail':
        return this.#trail(command);
      case 'repeat':
        return this.#repeat(command);
      case 'faulty create':
        return this.#invalidCreate(command);
      case 'faulty change':
        return this.#invalidChange(command);
      case 'faulty request':
        return this.#invalidRequest(command);
    }
  }

  // Callers and resources.

  #caller(by: number): { workspace: WorkspaceState; key: KeyState } {
    const workspace = this.#workspaces[by % 2] as WorkspaceState;
    const number = Math.floor(by / 2);
    const key = number % 4 === 3 ? workspace.keys[Math.floor(number / 4) % workspace.keys.length] : workspace.keys[0];
    return { workspace, key: key as KeyState };
  }

  /** Mostly an agent of the caller, sometimes one of the other workspace or an unknown one. */
  #agent(workspace: WorkspaceState, choice: number): { agent: AgentState | null; id: Piece } {
    const number = Math.floor(choice / 16);
    if (choice % 16 === 0) return { agent: null, id: unknownAgent };
    if (choice % 16 === 1) {
      const others = (this.#workspaces.find((other) => other !== workspace) as WorkspaceState).agents;
      return { agent: null, id: others[number % Math.max(1, others.length)]?.id ?? unknownAgent };
    }
    // Recent agents are more likely.
    const { agents } = workspace;
    const agent = choice % 16 < 8 ? agents.at(-1 - (number % 3)) : agents[number % Math.max(1, agents.length)];
    return { agent: agent ?? null, id: agent?.id ?? unknownAgent };
  }

  #key(workspace: WorkspaceState, choice: number): { key: KeyState | null; id: Piece } {
    const number = Math.floor(choice / 8);
    if (choice % 8 === 0) return { key: null, id: unknownKey };
    const others = (this.#workspaces.find((other) => other !== workspace) as WorkspaceState).keys;
    if (choice % 8 === 1) return { key: null, id: (others[number % others.length] as KeyState).id };
    // Not the first key, which must stay valid.
    const key = workspace.keys[1 + (number % Math.max(1, workspace.keys.length - 1))];
    return { key: key ?? null, id: key?.id ?? unknownKey };
  }

  #versionText({ by, agent, version }: { by: number; agent: number; version: number }): string {
    const { workspace } = this.#caller(by);
    const newest = this.#agent(workspace, agent).agent?.head.fields.version ?? 1;
    const odd = ['latest', 'published', '0', '01', '999', 'x', 'Latest'];
    return version % 3 === 0 ? (odd[version % odd.length] as string) : String(1 + (version % Number(newest)));
  }

  // Common to all exchanges.

  #begin(
    method: string,
    path: readonly Piece[],
    key: KeyState | null,
    more: Partial<Exchange> = {},
  ): Omit<Exchange, 'expected'> {
    this.#requests += 1;
    this.#requestId = `model-${this.#requests}`;
    const { headers = {}, ...rest } = more;
    return { method, path, key, ...rest, headers: { ...headers, 'X-Request-Id': [this.#requestId] } };
  }

  #refusal(status: number, code: string, details?: unknown): Expected {
    const error = { code, message: anyText, ...(details === undefined ? {} : { details }), requestId: this.#requestId };
    return { status, body: { error } };
  }

  #invalid(fields: readonly string[] | null, status = 400, code = 'VALIDATION_ERROR'): Expected {
    const details = new Any(
      (value) =>
        isObject(value) &&
        isObject(value.fieldErrors) &&
        (fields === null || isSame(Object.keys(value.fieldErrors).sort(), [...new Set(fields)].sort())),
    );
    return this.#refusal(status, code, details);
  }

  #notFound(): Expected {
    return this.#refusal(404, 'NOT_FOUND');
  }

  /** Authentication, then the scope, before anything else. */
  #refused(key: KeyState, scope: string, routeId: string): Expected | null {
    if (key.endedAt !== null) return this.#refusal(401, 'UNAUTHORIZED');
    if (key.scopes.includes(scope)) return null;
    return this.#refusal(403, 'SCOPE_INSUFFICIENT', { requiredScope: scope, routeId });
  }

  #note(workspace: WorkspaceState, key: KeyState, routeId: string, resource: Name, resourceName: unknown): void {
    this.#numbers += 1;
    const body = {
      id: new Name('entry'),
      at: new Name('time'),
      keyId: key.id,
      routeId,
      resourceId: resource,
      resourceName,
      requestId: this.#requestId,
    };
    workspace.entries.push({ number: this.#numbers, resource, body });
  }

  /**
   * A POST with an Idempotency-Key: repeats get the response of the first, and different requests are refused. Refused
   * requests do not use up the key.
   */
  #once(
    begun: Omit<Exchange, 'expected'>,
    workspace: WorkspaceState,
    repeatKey: number | null,
    fingerprint: readonly unknown[],
    work: () => Expected,
  ): Exchange {
    if (repeatKey === null) return { ...begun, expected: work() };
    const name = `repeat ${repeatKey}`;
    const withKey = { ...begun, headers: { ...begun.headers, 'Idempotency-Key': [name] } };
    const print = digest(fingerprint);
    const kept = workspace.kept.get(name);
    if (kept !== undefined) {
      if (kept.fingerprint !== print) return { ...withKey, expected: this.#refusal(422, 'IDEMPOTENCY_KEY_REUSED') };
      return { ...withKey, expected: { ...kept.exchange.expected, isReplay: true } };
    }
    const expected = work();
    const exchange = { ...withKey, expected: frozen(expected) };
    if (expected.status < 300) workspace.kept.set(name, { fingerprint: print, exchange });
    return exchange;
  }

  #conditionHeader(name: string, condition: Condition, agent: AgentState | null): Record<string, readonly Piece[]> {
    const right = agent?.head.etag;
    const stale = agent?.earlier.at(-1)?.etag ?? '"stale"';
    switch (condition) {
      case 'none':
        return {};
      case 'any':
        return { [name]: ['*'] };
      case 'stale':
        return { [name]: [stale] };
      case 'several':
        return { [name]: [stale, ', ', right ?? '"other"'] };
      case 'weak':
        return { [name]: ['W/', right ?? '"other"'] };
      case 'bare':
        return { [name]: [right === undefined ? 'other' : new Unquoted(right)] };
      case 'right':
        return { [name]: [right ?? '"other"'] };
    }
  }

  #conflict(condition: Condition, agent: AgentState): Expected | null {
    if (condition !== 'stale' && condition !== 'weak') return null;
    return { ...this.#refusal(409, 'VERSION_CONFLICT', { currentEtag: agent.head.etag }), etag: agent.head.etag };
  }

  // Agents.

  #create(command: Extract<Command, { do: 'create' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const body = { voiceId: 'v', ...command.body, name: nameOf(command.name) };
    const strict = command.isStrict ? { Prefer: ['handling=strict'] } : {};
    const begun = this.#begin('POST', ['/api/v1/agents'], key, { body, headers: strict });
    const refused = this.#refused(key, 'agents:write', 'agents.create');
    if (refused !== null) return { ...begun, expected: refused };
    const unknown = ['unknownField', 'id'].filter((name) => Object.hasOwn(body, name));
    if (command.isStrict && unknown.length > 0) return { ...begun, expected: this.#invalid(unknown) };
    const given = { ...body, responseEngine: command.body.responseEngine };
    const { responseEngineType, prompt, llmModel } = command.body;
    const print = [
      'agents.create',
      sorted(newFields(given)),
      sorted([
        given.responseEngine ?? null,
        responseEngineType ?? null,
        prompt ?? null,
        llmModel ?? null,
        Object.hasOwn(body, 'agentSettings'),
        Object.hasOwn(body, 'beginMessage'),
      ]),
    ];
    return this.#once(begun, workspace, command.repeatKey, print, () =>
      this.#made(workspace, key, 'agents.create', newFields(given), plainNameOf(command.name), null),
    );
  }

  #made(
    workspace: WorkspaceState,
    key: KeyState,
    routeId: string,
    content: Fields,
    plainName: string,
    source: AgentState | null,
  ): Expected {
    this.#numbers += 1;
    const createdAt = new Name('time');
    const id = new Name('agent');
    const own = { id, workspaceId: workspace.id, version: 1, isPublished: false, createdAt, updatedAt: createdAt };
    const head = { fields: inOrder({ ...content, ...own }), etag: new Name('etag') };
    workspace.agents.push({ id, number: this.#numbers, plainName, head, earlier: [] });
    if (source !== null) this.#note(workspace, key, routeId, source.id, source.head.fields.name);
    this.#note(workspace, key, routeId, id, content.name);
    return answerOf(head, 201);
  }

  #read(by: number, choice: number, version: string, condition: Condition, isHead: boolean): Exchange {
    const { workspace, key } = this.#caller(by);
    const { agent, id } = this.#agent(workspace, choice);
    const found = agent === null ? null : versionOf(agent, version);
    // Entity tags of the requested version.
    const asked = agent === null || found === null ? null : { ...agent, head: found };
    const headers = this.#conditionHeader('If-None-Match', condition, asked);
    const path = isHead ? ['/api/v1/agents/', id] : ['/api/v1/agents/', id, `/versions/${version}`];
    const begun = this.#begin('GET', path, key, { headers });
    const refused = this.#refused(key, 'agents:read', isHead ? 'agents.get' : 'agents.versions.get');
    if (refused !== null) return { ...begun, expected: refused };
    if (found === null) return { ...begun, expected: this.#notFound() };
    const hasIt = condition !== 'none' && (condition !== 'stale' || isSameTag(headers, found));
    return { ...begun, expected: hasIt ? { status: 304, etag: found.etag } : answerOf(found, 200) };
  }

  /** The common part of all changes to an agent. */
  #changing(
    begun: Omit<Exchange, 'expected'>,
    {
      key,
      agent,
      condition,
      routeId,
    }: { key: KeyState; agent: AgentState | null; condition: Condition; routeId: string },
    work: (agent: AgentState) => Expected,
  ): () => Expected {
    return () => {
      const refused = this.#refused(key, 'agents:write', routeId);
      if (refused !== null) return refused;
      if (agent === null) return this.#notFound();
      if (isSameTag(begun.headers, agent.head)) return work(agent);
      return this.#conflict(condition, agent) ?? work(agent);
    };
  }

  #change(command: Extract<Command, { do: 'change' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { agent, id } = this.#agent(workspace, command.agent);
    const name = command.name === null ? {} : { name: nameOf(command.name) };
    const body = { ...command.patch, ...name };
    const headers = {
      ...this.#conditionHeader('If-Match', command.condition, agent),
      'Content-Type': [command.agent % 2 === 0 ? 'application/merge-patch+json' : 'application/json'],
    };
    const begun = this.#begin('PATCH', ['/api/v1/agents/', id], key, { body, headers });
    const { condition } = command;
    const work = this.#changing(begun, { key, agent, condition, routeId: 'agents.update' }, (held) => {
      const { fields, broken } = patched(held.head.fields, body);
      if (broken !== null) return this.#invalid([broken]);
      const isDescribed = 'versionDescription' in body;
      if (!isSame(fields, held.head.fields)) {
        openDraft(held, isDescribed ? fields : { ...fields, ...descriptionOfDraft(held.head.fields) });
      }
      if (command.name !== null) held.plainName = plainNameOf(command.name);
      this.#note(workspace, key, 'agents.update', held.id, held.head.fields.name);
      return answerOf(held.head, 200);
    });
    return { ...begun, expected: work() };
  }

  #publish(command: Extract<Command, { do: 'publish' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { agent, id } = this.#agent(workspace, command.agent);
    const { condition, body } = command;
    const headers = this.#conditionHeader('If-Match', condition, agent);
    const path = ['/api/v1/agents/', id, '/publish'];
    const begun = this.#begin('POST', path, key, { headers, ...(body === null ? {} : { body }) });
    const work = this.#changing(begun, { key, agent, condition, routeId: 'agents.publish' }, (held) => {
      const { fields } = held.head;
      if (fields.isPublished === false) {
        const lacking = incomplete(fields);
        if (lacking.length > 0) return this.#invalid(lacking, 422, 'UNPROCESSABLE_CONTENT');
        const description =
          body?.versionDescription === undefined ? {} : { versionDescription: body.versionDescription };
        const updatedAt = new Name('time', fields.updatedAt as Name);
        held.head = { fields: { ...fields, ...description, isPublished: true, updatedAt }, etag: new Name('etag') };
      }
      this.#note(workspace, key, 'agents.publish', held.id, held.head.fields.name);
      return answerOf(held.head, 200);
    });
    return this.#onceAdmitted(begun, workspace, key, command.repeatKey, ['agents.publish', id, body ?? {}], work);
  }

  /** An Idempotency-Key is only used after authorization. */
  #onceAdmitted(
    begun: Omit<Exchange, 'expected'>,
    workspace: WorkspaceState,
    key: KeyState,
    repeatKey: number | null,
    print: readonly unknown[],
    work: () => Expected,
    scope = 'agents:write',
  ): Exchange {
    if (this.#refused(key, scope, '') === null) return this.#once(begun, workspace, repeatKey, print, work);
    return { ...begun, expected: work() };
  }

  #duplicate(command: Extract<Command, { do: 'duplicate' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { agent, id } = this.#agent(workspace, command.agent);
    const body = command.name === null ? null : { name: nameOf(command.name) };
    const begun = this.#begin('POST', ['/api/v1/agents/', id, '/duplicate'], key, body === null ? {} : { body });
    const work = this.#changing(begun, { key, agent, condition: 'none', routeId: 'agents.duplicate' }, (held) => {
      const plainName = command.name === null ? held.plainName : plainNameOf(command.name);
      const content = { ...structuredCopy(held.head.fields), ...body, versionDescription: null };
      return this.#made(workspace, key, 'agents.duplicate', content, plainName, held);
    });
    return this.#onceAdmitted(begun, workspace, key, command.repeatKey, ['agents.duplicate', id, body ?? {}], work);
  }

  #delete(command: Extract<Command, { do: 'delete' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { agent, id } = this.#agent(workspace, command.agent);
    const { condition } = command;
    const headers = this.#conditionHeader('If-Match', condition, agent);
    const begun = this.#begin('DELETE', ['/api/v1/agents/', id], key, { headers });
    const work = this.#changing(begun, { key, agent, condition, routeId: 'agents.delete' }, (held) => {
      workspace.agents = workspace.agents.filter((other) => other !== held);
      this.#note(workspace, key, 'agents.delete', held.id, held.head.fields.name);
      return { status: 200, body: { id: held.id, deleted: true } };
    });
    return { ...begun, expected: work() };
  }

  #restore(command: Extract<Command, { do: 'restore' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { agent, id } = this.#agent(workspace, command.agent);
    const { condition } = command;
    const version = this.#versionText(command);
    const source = agent === null ? null : versionOf(agent, version);
    const headers = this.#conditionHeader('If-Match', condition, agent);
    const begun = this.#begin('POST', ['/api/v1/agents/', id, `/versions/${version}/restore`], key, { headers });
    const held = source === null ? null : agent;
    const work = this.#changing(begun, { key, agent: held, condition, routeId: 'agents.versions.restore' }, (found) => {
      const { version: number, isPublished, updatedAt } = found.head.fields;
      const description = descriptionOfDraft(found.head.fields);
      const own = { version: number, isPublished, updatedAt, ...description };
      const content = inOrder({ ...(source as Version).fields, ...own });
      if (isPublished === true || !isSame(content, found.head.fields)) openDraft(found, content);
      found.plainName = plainNameOfText(String(content.name));
      this.#note(workspace, key, 'agents.versions.restore', found.id, found.head.fields.name);
      return answerOf(found.head, 200);
    });
    const print = ['agents.versions.restore', id, version];
    return this.#onceAdmitted(begun, workspace, key, command.repeatKey, print, work);
  }

  #diff(command: Extract<Command, { do: 'diff' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { agent, id } = this.#agent(workspace, command.agent);
    const textOf = (version: number) => this.#versionText({ ...command, version });
    const from = textOf(command.from);
    const to = command.to === null ? 'latest' : textOf(command.to);
    const query = command.to === null ? `from=${from}` : `from=${from}&to=${to}`;
    const begun = this.#begin('GET', ['/api/v1/agents/', id, `/diff?${query}`], key);
    const refused = this.#refused(key, 'agents:read', 'agents.diff');
    if (refused !== null) return { ...begun, expected: refused };
    const isName = (text: string) => /^([1-9]\d*|latest|published)$/.test(text);
    const invalid = [...(isName(from) ? [] : ['from']), ...(isName(to) ? [] : ['to'])];
    if (invalid.length > 0) return { ...begun, expected: this.#invalid(invalid) };
    const before = agent === null ? null : versionOf(agent, from);
    const after = agent === null ? null : versionOf(agent, to);
    if (before === null || after === null) return { ...begun, expected: this.#notFound() };
    const changes = new Any(Array.isArray);
    const check = (body: Fields, dictionary: Dictionary): string | null => {
      const [start, end] = [before, after].map(({ fields }) => dictionary.resolve(fields) as Fields);
      const result = applied(start as Fields, body.changes as Fields[]);
      if (typeof result === 'string') return result;
      return isSame(result, end) ? null : 'the changes do not lead from the one to the other';
    };
    const body = { from: before.fields.version, to: after.fields.version, changes };
    return { ...begun, expected: { status: 200, body, check } };
  }

  // Lists.

  #list(command: Extract<Command, { do: 'list' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const search = command.search === null ? null : searchOf(command.search);
    const [idOf] = command.search !== null && command.by % 7 === 0 ? workspace.agents : [];
    const filter: readonly Piece[] | null =
      idOf !== undefined ? [idOf.id] : search === null ? null : [encodeURIComponent(search.text)];
    const matches = (agent: AgentState) =>
      idOf !== undefined ? agent === idOf : agent.plainName.includes(search?.plain ?? '');
    const items = () =>
      workspace.agents.filter(matches).map(({ number, head }) => ({ place: number, body: head.fields }));
    return this.#firstPage(key, workspace, command.limit, {
      path: ['/api/v1/agents'],
      filterName: 'q',
      filter,
      scope: 'agents:read',
      routeId: 'agents.list',
      items,
    });
  }

  #versions(command: Extract<Command, { do: 'versions' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { agent, id } = this.#agent(workspace, command.agent);
    const items = () =>
      agent === null || !workspace.agents.includes(agent)
        ? null
        : [...agent.earlier, agent.head].map(({ fields }) => ({ place: Number(fields.version), body: fields }));
    const path = ['/api/v1/agents/', id, '/versions'];
    const list = { path, filterName: null, filter: null, scope: 'agents:read', routeId: 'agents.versions.list', items };
    return this.#firstPage(key, workspace, command.limit, list);
  }

  #listKeys(command: Extract<Command, { do: 'keys' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const items = () => workspace.keys.map((other, place) => ({ place, body: bodyOfKey(other, workspace) }));
    const path = ['/api/v1/api-keys'];
    const list = { path, filterName: null, filter: null, scope: 'keys:read', routeId: 'apiKeys.list', items };
    return this.#firstPage(key, workspace, command.limit, list);
  }

  #trail(command: Extract<Command, { do: 'trail' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const id = command.agent === null ? null : this.#agent(workspace, command.agent).id;
    const entries = () => workspace.entries.filter(({ resource }) => id === null || resource === id);
    const items = () => entries().map(({ number, body }) => ({ place: number, body }));
    const filter = id === null ? null : [id];
    const path = ['/api/v1/audit-log'];
    const list = { path, filterName: 'resourceId', filter, scope: 'audit:read', routeId: 'auditLog.list', items };
    return this.#firstPage(key, workspace, command.limit, list);
  }

  #firstPage(
    key: KeyState,
    workspace: WorkspaceState,
    limit: number | null,
    list: Omit<Cursor, 'name' | 'workspace' | 'pageAfter'> & {
      readonly items: () => { readonly place: number; readonly body: unknown }[] | null;
    },
  ): Exchange {
    const { path, filterName, filter, scope, routeId, items } = list;
    const pageBefore = (place: number, size: number): Expected => {
      const all = items();
      if (all === null) return this.#notFound();
      const following = all.filter((item) => item.place < place).sort((one, other) => other.place - one.place);
      const page = following.slice(0, size);
      const last = page.at(-1);
      const name = following.length > size && last !== undefined ? new Name('cursor') : null;
      if (name !== null && last !== undefined) {
        const pageAfter = (more: number) => pageBefore(last.place, more);
        this.#cursors.push({ name, workspace, path, filterName, filter, pageAfter, scope, routeId });
      }
      const body = { items: page.map((item) => item.body), pagination: { nextCursor: name } };
      return frozen({ status: 200, body, link: name });
    };
    const query: Piece[] = [
      ...(limit === null ? [] : [`limit=${limit}`]),
      ...(filter === null ? [] : [`${limit === null ? '' : '&'}${filterName}=`, ...filter]),
    ];
    const begun = this.#begin('GET', query.length === 0 ? path : [...path, '?', ...query], key);
    const refused = this.#refused(key, scope, routeId);
    const expected = refused ?? pageBefore(Number.POSITIVE_INFINITY, limit ?? defaultLimit);
    return { ...begun, expected };
  }

  #nextPage({ cursor: choice, limit, misuse }: Extract<Command, { do: 'next page' }>): Exchange | null {
    // Mostly a recent cursor, so that walks reach their end.
    const cursor = choice % 2 === 0 ? this.#cursors.at(-1) : this.#cursors[choice % Math.max(1, this.#cursors.length)];
    if (cursor === undefined) return null;
    const { workspace, path, name, filterName, filter, scope } = cursor;
    const other = this.#workspaces.find((one) => one !== workspace) as WorkspaceState;
    const key = (misuse === 'other list' ? other : workspace).keys[0] as KeyState;
    const isRepeated = filter !== null && choice % 3 === 0 && misuse !== 'other filter';
    const query: Piece[] = ['?cursor=', ...(misuse === 'edited' ? ['x'] : []), name];
    if (limit !== null) query.push(`&limit=${limit}`);
    if (isRepeated) query.push(`&${filterName}=`, ...filter);
    if (misuse === 'other filter' && filterName !== null) query.push(`&${filterName}=another`);
    const begun = this.#begin('GET', [...path, ...query], key);
    const isMisused = misuse === 'other filter' ? filterName !== null : misuse !== 'none';
    const refused = this.#refused(key, scope, cursor.routeId);
    const page = () => (isMisused ? this.#invalid(['cursor']) : cursor.pageAfter(limit ?? defaultLimit));
    return { ...begun, expected: refused ?? page() };
  }

  // Keys.

  #createKey(command: Extract<Command, { do: 'create key' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const wanted = command.scopes.map((index) => scopes[index] as string);
    const end = { never: null, far: farEnd, past: '2001-01-01T00:00:00Z' }[command.end];
    const body = { scopes: wanted, name: command.name, ...(end === null ? {} : { expiresAt: end }) };
    const begun = this.#begin('POST', ['/api/v1/api-keys'], key, { body });
    // Whether an expiry is in the past depends on the time, and is checked after a repeat gets its response.
    const repeatKey = command.end === 'past' ? null : command.repeatKey;
    const work = (): Expected => {
      const refused = this.#refused(key, 'keys:write', 'apiKeys.create');
      if (refused !== null) return refused;
      if (command.end === 'past') return this.#invalid(['expiresAt']);
      const lacking = wanted.find((scope) => !key.scopes.includes(scope));
      if (lacking !== undefined)
        return this.#refusal(403, 'SCOPE_INSUFFICIENT', { requiredScope: lacking, routeId: 'apiKeys.create' });
      if (key.isRotated) return this.#invalid([], 422, 'UNPROCESSABLE_CONTENT');
      // A key that expires cannot create one that outlives it.
      const made = newKey(command.name, [...new Set(wanted)], key.expiresAt ?? end);
      return this.#madeKey(workspace, key, made, 'apiKeys.create', null);
    };
    const print = ['apiKeys.create', wanted, command.name, end, digestOfKey(key, workspace)];
    return this.#onceAdmitted(begun, workspace, key, repeatKey, print, work, 'keys:write');
  }

  #madeKey(
    workspace: WorkspaceState,
    by: KeyState,
    made: KeyState,
    routeId: string,
    source: KeyState | null,
  ): Expected {
    workspace.keys.push(made);
    if (source !== null) this.#note(workspace, by, routeId, source.id, source.name);
    this.#note(workspace, by, routeId, made.id, made.name);
    return { status: 201, body: { ...bodyOfKey(made, workspace), key: made.secret } };
  }

  #getKey(command: Extract<Command, { do: 'key' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { key: found, id } = this.#key(workspace, command.key);
    const begun = this.#begin('GET', ['/api/v1/api-keys/', id], key);
    const refused = this.#refused(key, 'keys:read', 'apiKeys.get');
    if (refused !== null) return { ...begun, expected: refused };
    if (found === null) return { ...begun, expected: this.#notFound() };
    return { ...begun, expected: { status: 200, body: bodyOfKey(found, workspace) } };
  }

  #rotate(command: Extract<Command, { do: 'rotate' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { key: found, id } = this.#key(workspace, command.key);
    const { graceSeconds } = command;
    const body = graceSeconds === null ? null : { graceSeconds };
    const begun = this.#begin('POST', ['/api/v1/api-keys/', id, '/rotate'], key, body === null ? {} : { body });
    const work = (): Expected => {
      const refused = this.#refused(key, 'keys:write', 'apiKeys.rotate');
      if (refused !== null) return refused;
      if (found === null) return this.#notFound();
      const lacking = found.scopes.find((scope) => !key.scopes.includes(scope));
      if (lacking !== undefined)
        return this.#refusal(403, 'SCOPE_INSUFFICIENT', { requiredScope: lacking, routeId: 'apiKeys.rotate' });
      if (key.isRotated || found.endedAt !== null || found.isRotated)
        return this.#invalid([], 422, 'UNPROCESSABLE_CONTENT');
      // If set, both are the far expiry: a key with another one has been rotated.
      const made = newKey(found.name, found.scopes, found.expiresAt ?? key.expiresAt);
      found.isRotated = true;
      found.expiresAt = new Name('time');
      if (graceSeconds === 0) found.endedAt = performance.now();
      return this.#madeKey(workspace, key, made, 'apiKeys.rotate', found);
    };
    const print = ['apiKeys.rotate', id, graceSeconds ?? 86_400, digestOfKey(key, workspace)];
    return this.#onceAdmitted(begun, workspace, key, command.repeatKey, print, work, 'keys:write');
  }

  #revoke(command: Extract<Command, { do: 'revoke' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const { key: found, id } = this.#key(workspace, command.key);
    const routeId = command.isDelete ? 'apiKeys.delete' : 'apiKeys.revoke';
    const path: readonly Piece[] = ['/api/v1/api-keys/', id];
    const begun = command.isDelete ? this.#begin('DELETE', path, key) : this.#begin('POST', [...path, '/revoke'], key);
    const work = (): Expected => {
      const refused = this.#refused(key, 'keys:write', routeId);
      if (refused !== null) return refused;
      if (found === null) return this.#notFound();
      found.revokedAt ??= new Name('time');
      found.endedAt ??= performance.now();
      this.#note(workspace, key, routeId, found.id, found.name);
      return { status: 200, body: bodyOfKey(found, workspace) };
    };
    const repeatKey = command.isDelete ? null : command.repeatKey;
    return this.#onceAdmitted(begun, workspace, key, repeatKey, ['apiKeys.revoke', id], work, 'keys:write');
  }

  #whoami(command: Extract<Command, { do: 'whoami' }>): Exchange {
    const { workspace, key } = this.#caller(command.by);
    const begun = this.#begin('GET', ['/api/v1/whoami'], key);
    if (key.endedAt !== null) return { ...begun, expected: this.#refusal(401, 'UNAUTHORIZED') };
    const body = {
      workspaceId: workspace.id,
      workspaceName: workspace.name,
      keyId: key.id,
      keyName: key.name,
      scopes: key.scopes,
    };
    return { ...begun, expected: { status: 200, body } };
  }

  // Repeated and invalid requests.

  #repeat(command: Extract<Command, { do: 'repeat' }>): Exchange | null {
    const { workspace } = this.#caller(command.by);
    const all = [...workspace.kept.values()];
    const kept = all[command.which % Math.max(1, all.length)]?.exchange;
    if (kept === undefined) return null;
    const first = workspace.keys[0] as KeyState;
    const key = command.isOtherCaller ? first : (kept.key ?? first);
    const scope = String(kept.path[0]).includes('api-keys') ? 'keys:write' : 'agents:write';
    const { expected, method, path, key: keptKey, headers, ...rest } = kept;
    const begun = this.#begin(method, path, key, { ...rest, headers });
    const refused = this.#refused(key, scope, '');
    if (refused !== null) return key.endedAt === null ? null : { ...begun, expected: refused };
    const isSecret = isObject(expected.body) && Object.hasOwn(expected.body, 'key');
    if (isSecret && key !== keptKey) return { ...begun, expected: this.#refusal(422, 'IDEMPOTENCY_KEY_REUSED') };
    return { ...begun, expected: { ...expected, isReplay: true } };
  }

  #invalidCreate(command: Extract<Command, { do: 'faulty create' }>): Exchange {
    const { workspace } = this.#caller(command.by);
    const [one, other] = [command.invalid, command.alsoInvalid].map(
      (choice) => invalidCreateValues[choice % invalidCreateValues.length],
    ) as [InvalidValue, InvalidValue];
    const body = { name: 'n', voiceId: 'v', [one[0]]: one[1], [other[0]]: other[1] };
    const begun = this.#begin('POST', ['/api/v1/agents'], workspace.keys[0] as KeyState, { body });
    return { ...begun, expected: this.#invalid([one[0], other[0]]) };
  }

  #invalidChange(command: Extract<Command, { do: 'faulty change' }>): Exchange {
    const { workspace } = this.#caller(command.by);
    const [field, value] = invalidChangeValues[command.invalid % invalidChangeValues.length] as InvalidValue;
    const { id } = this.#agent(workspace, command.agent);
    const begun = this.#begin('PATCH', ['/api/v1/agents/', id], workspace.keys[0] as KeyState, {
      body: { [field]: value },
    });
    return { ...begun, expected: this.#invalid([field]) };
  }

  #invalidRequest(command: Extract<Command, { do: 'faulty request' }>): Exchange {
    const { workspace } = this.#caller(command.by);
    const request = invalidRequests[command.invalid % invalidRequests.length] as (typeof invalidRequests)[number];
    const headers = Object.fromEntries(Object.entries(request.headers ?? {}).map(([name, value]) => [name, [value]]));
    const key = request.hasNoKey ? null : (workspace.keys[0] as KeyState);
    const begun = this.#begin(request.method, [request.path], key, {
      headers,
      ...(request.rawBody === undefined ? {} : { rawBody: request.rawBody }),
    });
    const expected =
      request.status === 400 ? this.#invalid(request.fields ?? []) : this.#refusal(request.status, request.code);
    return { ...begun, expected };
  }
}

type InvalidValue = readonly [field: string, value: unknown];

/** The key that a workspace has before the first command. */
export function firstKey(): KeyState {
  return newKey(null, scopes, null);
}

function newKey(name: string | null, held: readonly string[], expiresAt: Name | string | null): KeyState {
  return {
    id: new Name('key'),
    secret: new Name('secret'),
    hint: new Name('hint'),
    name,
    scopes: held,
    createdAt: new Name('time'),
    expiresAt,
    revokedAt: null,
    isRotated: false,
    endedAt: null,
  };
}

function bodyOfKey(key: KeyState, { id: workspaceId }: WorkspaceState): Fields {
  const { id, name, hint, scopes: held, createdAt, expiresAt, revokedAt } = key;
  return { id, workspaceId, name, hint, scopes: held, createdAt, expiresAt, revokedAt, lastUsedAt: optionalTime };
}

function answerOf({ fields, etag }: Version, status: number): Expected {
  return { status, body: fields, etag };
}

/** A draft keeps its number; a published version is kept and followed by the next number. */
function openDraft(agent: AgentState, fields: Fields): void {
  const { head } = agent;
  const isNext = head.fields.isPublished === true;
  if (isNext) agent.earlier.push(head);
  const version = Number(head.fields.version) + (isNext ? 1 : 0);
  const updatedAt = new Name('time', head.fields.updatedAt as Name);
  agent.head = { fields: { ...fields, version, isPublished: false, updatedAt }, etag: new Name('etag') };
}

function versionOf({ head, earlier }: AgentState, name: string): Version | null {
  const all = [...earlier, head];
  if (name === 'latest') return head;
  if (name === 'published') return all.findLast(({ fields }) => fields.isPublished === true) ?? null;
  return all.find(({ fields }) => String(fields.version) === name) ?? null;
}

/** Whether an ETag that was meant to be stale is current after all. */
function isSameTag(headers: Exchange['headers'], { etag }: Version): boolean {
  const condition = headers['If-Match'] ?? headers['If-None-Match'] ?? [];
  return condition.length === 1 && condition[0] === etag;
}

function nameOf(choice: readonly number[]): string {
  return choice.map((index) => words[index]?.[0]).join(' ');
}

function plainNameOf(choice: readonly number[]): string {
  return choice.map((index) => words[index]?.[1]).join(' ');
}

/** The folded form of a stored name, whose parts are known. */
function plainNameOfText(text: string): string {
  let rest = text;
  for (const [word, plain] of words) rest = rest.replaceAll(word, plain);
  return rest;
}

function searchOf([word, start, length]: readonly [number, number, number]): { text: string; plain: string } {
  const [text, plain] = words[word] as readonly [string, string];
  // The whole text as written, or a part of its folded form.
  if (start === 0) return { text, plain };
  const part = [...plain].slice(start, start + 1 + length).join('');
  return part === '' ? { text, plain } : { text: part.toUpperCase(), plain: part };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value === undefined ? null : value;
  return Object.keys(value)
    .sort()
    .map((name) => [name, sorted(value[name])]);
}

function digest(values: readonly unknown[]): string {
  const text = JSON.stringify(values, (_, value) => (value instanceof Name ? `name ${value.number}` : value));
  return createHash('sha256').update(text).digest('hex');
}

function digestOfKey(key: KeyState, workspace: WorkspaceState): number {
  return workspace.keys.indexOf(key);
}

/** Responses must not change with the model: fields are replaced there, never mutated. */
function frozen(expected: Expected): Expected {
  return { ...expected, ...(expected.body === undefined ? {} : { body: structuredCopy(expected.body) }) };
}

function structuredCopy<T>(value: T): T {
  if (value instanceof Name || value instanceof Any) return value;
  if (Array.isArray(value)) return value.map(structuredCopy) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structuredCopy(member)])) as T;
}
