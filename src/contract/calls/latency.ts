import { z } from 'zod';

const measured = {
  e2eMs: {
    description: 'From the caller’s last sound to the first sound of the reply; in a chat, to its first text.',
    example: 910,
  },
  endpointingMs: {
    description: 'How long the agent waited to be sure that the caller had finished, excluding `sttMs`.',
    example: 320,
  },
  sttMs: {
    description:
      'Speech recognition, from the end of the speech to the final transcript, while the agent waits for it.',
    example: 140,
  },
  knowledgeMs: {
    description: 'How long the reply waited for the search in knowledge bases, which starts before the turn is over.',
    example: 0,
  },
  llmFirstTokenMs: {
    description: 'The engine or the language model, until its first text, or until the caller is asked to wait.',
    example: 310,
  },
  ttsFirstAudioMs: { description: 'The voice, from the first sentence to its first sound.', example: 130 },
  ownMs: { description: 'The service’s own share: time not spent on a provider or a deliberate wait.', example: 10 },
} as const;

type Measured = keyof typeof measured;

/** A part of the latency of a turn. */
export type LatencyStage = Measured;

export const latencyStages = Object.entries(measured).map(([name, { description, example }]) => ({
  name: name as LatencyStage,
  description,
  example,
}));

function ofEach<S extends z.ZodType>(schema: (name: Measured) => S): Readonly<Record<Measured, S>> {
  const names = Object.keys(measured) as Measured[];
  return Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Measured, S>;
}

export const turnLatency = z
  .strictObject(
    ofEach((name) => {
      const { description, example } = measured[name];
      return z
        .int()
        .min(0)
        .nullable()
        .meta({ description, examples: [example] });
    }),
  )
  .meta({
    id: 'TurnLatency',
    description:
      'How long the reply took, in milliseconds: `e2eMs` and its parts. In a spoken call, the remainder is the time that the model took from its first text to the end of its first sentence. Null: not measured.',
  });

const milliseconds = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] });

const distribution = z
  .strictObject({
    p50: milliseconds('The median.', 610),
    p90: milliseconds('90% took at most this long.', 940),
    p95: milliseconds('95% took at most this long.', 940),
    p99: milliseconds('99% took at most this long.', 940),
    min: milliseconds('The shortest.', 480),
    max: milliseconds('The longest.', 940),
    count: z
      .int()
      .min(1)
      .meta({ description: 'The number of measurements.', examples: [3] }),
  })
  .meta({ id: 'LatencyDistribution', description: 'How long something took, in milliseconds; nearest rank.' });

export const callLatency = z
  .strictObject({
    turns: z
      .int()
      .min(1)
      .meta({ description: 'The number of agent turns.', examples: [4] }),
    ...ofEach((name) =>
      distribution.nullable().meta({ description: `${measured[name].description} Null: not measured.` }),
    ),
  })
  .meta({ id: 'CallLatency', description: 'How long the agent’s replies took.' });
