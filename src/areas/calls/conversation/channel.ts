import type { Call } from '../../../contract/calls/call.ts';

/**
 * What the channel of a call can do. The type of a call is stored and public. In this area, other code asks for the
 * channel instead, except SQL that has to be worded like a partial index.
 */
export interface Channel {
  /**
   * The agent hears and speaks. One process owns such a call from its start to its end. A written conversation has no
   * owner between two messages: any process can continue it.
   */
  readonly isSpoken: boolean;
  /** The caller's page joins the call with a token. */
  readonly hasPage: boolean;
  /** A carrier connects the call. */
  readonly needsCarrier: boolean;
  /** The name of the type in the protocol of custom LLMs. */
  readonly customLlmType: 'chat' | 'web_call' | 'phone_call';
}

const channels: Readonly<Record<Call['type'], Channel>> = {
  chat: { isSpoken: false, hasPage: true, needsCarrier: false, customLlmType: 'chat' },
  web: { isSpoken: true, hasPage: true, needsCarrier: false, customLlmType: 'web_call' },
  phone: { isSpoken: true, hasPage: false, needsCarrier: true, customLlmType: 'phone_call' },
};

export function channelOf({ type }: Pick<Call, 'type'>): Channel {
  return channels[type];
}

/** A condition of SQL: the type is one of those whose channel is like this. */
export function typeIsWhere(has: (channel: Channel) => boolean): string {
  const types = Object.entries(channels).flatMap(([type, channel]) => (has(channel) ? [`'${type}'`] : []));
  return types.length === 1 ? `type = ${types[0]}` : `type IN (${types.join(', ')})`;
}
