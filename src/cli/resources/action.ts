import type { ApiPromise } from '../../../sdk/src/api-promise.ts';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { ConditionalOptions, RepeatableOptions, RequestOptions } from '../../../sdk/src/request.ts';
import type { CommandContext, Shown } from '../context.ts';
import type { Declaration } from '../declaration.ts';
import type { Item } from './views.ts';

/**
 * A command that sends one request. Its name starts with the group, such as `agents publish <id>`. The arguments `id` and
 * `version`, and the names of resources inside, such as `delivery`, are checked before it is sent.
 */
export interface Action extends Omit<Declaration, 'run'> {
  /** The body of the request, from the options; omitted fields are undefined. */
  readonly body?: (options: Item, context: CommandContext) => object | Promise<object>;
  readonly send: (client: VoiceAgents, values: Values, body: Item, options: SendOptions) => ApiPromise<Item>;
  /** Why there is nothing to get, by the reason in the details of the 404. */
  readonly missing?: Readonly<Record<string, string>>;
  /** What is printed without --json. Default: the fields of the response. */
  readonly text?: (result: Item, shown: Shown & { readonly values: readonly string[] }) => string | Promise<string>;
  /** What people should know besides, on standard error. */
  readonly note?: (result: Item) => string;
  /** Whether the exit code is 1. */
  readonly hasFailed?: (result: Item) => boolean | Promise<boolean>;
}

export type Values = readonly [string, string, ...string[]];
type SendOptions = RequestOptions & RepeatableOptions & ConditionalOptions;
