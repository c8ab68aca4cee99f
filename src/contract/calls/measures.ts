import { z } from 'zod';

export const time = z.iso.datetime();

export const count = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] });

/** Null: it was not measured. */
export const measured = (description: string, example: number | null) =>
  z
    .int()
    .min(0)
    .nullable()
    .meta({ description, examples: [example] });

export const providerName = z.string().max(255).nullable();
