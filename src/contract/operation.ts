import type { z } from 'zod';
import type { Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How much harm a call can do: `sensitive` changes what callers hear, `destructive` cannot be undone. */
export type RiskClass = 'standard' | 'sensitive' | 'destructive';

/**
 * One operation of the public API: the single source for routing, authentication, scope checks, validation, OpenAPI,
 * the reference page and the tests that cover every operation.
 */
export interface Operation {
  /** The route id, such as `agents.create`. */
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces: `/api/v1/agents/{id}`. */
  readonly path: `/api/v1/${string}`;
  /** Null if any valid key is accepted. */
  readonly scope: Scope | null;
  readonly risk: RiskClass;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Null if the operation takes no body. */
  readonly body: z.ZodObject | null;
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
    readonly body: z.ZodObject;
    readonly headers?: Readonly<Record<string, string>>;
    /** The body contains a secret, so the response is saved encrypted for idempotent replays. */
    readonly isSecret?: true;
  };
}

/** Only POST requests can be replayed by `Idempotency-Key`. */
export function isRepeatable(operation: Operation): boolean {
  return operation.method === 'POST';
}

export type Params<O extends Operation> = z.output<O['params']>;
export type Query<O extends Operation> = z.output<O['query']>;
export type Body<O extends Operation> = O['body'] extends z.ZodObject ? z.output<O['body']> : undefined;

export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}
