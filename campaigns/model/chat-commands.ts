import fc from 'fast-check';

export const chatAgents = ['echo', 'greeter', 'script'] as const;
export const chatSettings = ['everything', 'everything_except_pii', 'basic_attributes_only'] as const;

/** Numbers select among the chats that exist at that time, so that a shrunk sequence is still valid. */
export type ChatCommand =
  | { readonly do: 'create'; agent: number; setting: number; metadata: boolean }
  | { readonly do: 'message'; chat: number; text: number | null; repeatKey: number | null }
  | { readonly do: 'say'; chat: number; text: number }
  | { readonly do: 'get'; chat: number }
  | { readonly do: 'events'; chat: number }
  | { readonly do: 'transcript'; chat: number }
  | { readonly do: 'update'; chat: number; key: number; value: number | null }
  | { readonly do: 'end'; chat: number }
  | { readonly do: 'redact'; chat: number; to: number }
  | { readonly do: 'delete'; chat: number }
  | { readonly do: 'slots' };

const chat = fc.nat(1000);
const few = fc.nat(2);

const weighted: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<unknown>])[] = [
  [5, fc.record({ do: fc.constant('create'), agent: few, setting: few, metadata: fc.boolean() })],
  [
    12,
    fc.record({ do: fc.constant('message'), chat, text: fc.option(fc.nat(5), { freq: 5 }), repeatKey: fc.option(few) }),
  ],
  [3, fc.record({ do: fc.constant('say'), chat, text: fc.nat(5) })],
  [4, fc.record({ do: fc.constant('get'), chat })],
  [8, fc.record({ do: fc.constant('events'), chat })],
  [4, fc.record({ do: fc.constant('transcript'), chat })],
  [3, fc.record({ do: fc.constant('update'), chat, key: few, value: fc.option(few) })],
  [4, fc.record({ do: fc.constant('end'), chat })],
  [8, fc.record({ do: fc.constant('redact'), chat, to: fc.nat(1) })],
  [1, fc.record({ do: fc.constant('delete'), chat })],
  [2, fc.record({ do: fc.constant('slots') })],
];

export function chatSequenceOf(longest: number): fc.Arbitrary<ChatCommand[]> {
  const command = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  return fc.array(command as fc.Arbitrary<ChatCommand>, { minLength: 1, maxLength: longest, size: 'max' });
}
