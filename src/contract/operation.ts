import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Such as `agents:read`. Each area declares its own. */
export type ScopeName = `${string}:${string}`;

/**
 * How an operation runs. A `read` has no transaction and no audit entry, also if it is a POST. A `change` runs inside one
 * transaction with its audit entry and saved response. An `action` may wait for other systems, so it never runs inside a
 * transaction: it records what it did in a short change of its own.
 */
export type Kind = 'read' | 'change' | 'action';

/** How much harm a call can do: `sensitive` changes what callers hear, `destructive` cannot be undone. */
export type RiskClass = 'standard' | 'sensitive' | 'destructive';

/**
 * One operation of the public API: the single source for routing, authentication, scope checks, validation, OpenAPI,
 * the reference page and the tests that cover every operation.
 */
export interface Operation {
  /** The route id, such as `agents.create`. */
  readonly id: string;
  readonly kind: Kind;
  readonly method: Method;
  /** With parameters in braces: `/api/v1/agents/{id}`. */
  readonly path: `/api/v1/${string}`;
  /** Null if any valid key is accepted. */
  readonly scope: ScopeName | null;
  /** An access token of the call whose id is in the path is accepted in place of an API key. */
  readonly acceptsAccessToken?: true;
  /** A read that may wait for something new before it responds. */
  readonly isLongPoll?: true;
  /**
   * A rate limit per API key in addition to the general one. The name appears in the response headers. Without numbers,
   * it is a setting of the service.
   */
  readonly rateLimit?:
    | { readonly name: string }
    | { readonly name: string; readonly requests: number; readonly windowSeconds: number };
  readonly risk: RiskClass;
  readonly summary: string;
  readonly description: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Null if the operation takes no body. */
  readonly body: z.ZodObject | null;
  /**
   * A search: a POST list with `limit` and `cursor` in the body. All other fields are the filter, which the cursor is
   * bound to and has to be sent with.
   */
  readonly list?: 'body';
  /** The body may be omitted; it is then treated as `{}`. */
  readonly isBodyOptional?: true;
  /** A media type accepted in addition to `application/json`. */
  readonly bodyMediaType?: string;
  /** A request that a newcomer would send first. */
  readonly bodyExample?: Readonly<Record<string, unknown>>;
  /** The conditional header it supports: `If-Match` on changes, `If-None-Match` on reads. */
  readonly condition?: 'If-Match' | 'If-None-Match';
  readonly success: {
    readonly status: 200 | 201;
    readonly description: string;
    /** Null if the response is never JSON. */
    readonly body: z.ZodObject | null;
    /** Fields whose example differs from that of the schema. */
    readonly example?: Readonly<Record<string, unknown>>;
    /** A stream or a file, which a handler may return instead of the JSON body. */
    readonly media?: { readonly type: string; readonly description: string };
    readonly headers?: Readonly<Record<string, string>>;
    /** The body contains a secret, so the response is saved encrypted for idempotent replays. */
    readonly isSecret?: true;
  };
}

/** Whether an `Idempotency-Key` makes it safe to repeat. The other methods are by themselves. */
export function isRepeatable({ method, kind }: Operation): boolean {
  return method === 'POST' && kind !== 'read';
}

export type Params<O extends Operation> = z.output<O['params']>;
export type Query<O extends Operation> = z.output<O['query']>;
export type Body<O extends Operation> = O['body'] extends z.ZodObject ? z.output<O['body']> : undefined;

/** The JSON body of a success. */
export type SuccessBody<O extends Operation> = O['success']['body'] extends z.ZodObject
  ? z.output<O['success']['body']>
  : never;

export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}
