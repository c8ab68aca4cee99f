import { z } from 'zod';
import { phoneNumber } from '../../phone-number.ts';
import { text } from '../../text.ts';

export const maxTransfers = 20;

/** Keys of a phone, and `w` for a pause of 500 ms. */
export const keys = z.string().regex(/^[0-9*#A-Dw]{1,50}$/, 'must be 1 to 50 of 0-9, *, #, A-D and w');

export const transferModes = ['cold', 'warm'] as const;

const sentence = text({ min: 1, max: 2000 });

const voicemail = z
  .strictObject({
    detect: z
      .enum(['audio', 'carrier', 'off'])
      .optional()
      .meta({
        description:
          'How a voicemail is detected: by what is heard, also by the carrier (which may charge for it), or not at all.',
        default: 'audio',
        examples: ['audio'],
      }),
    action: z
      .enum(['hangup', 'message', 'continue'])
      .optional()
      .meta({
        description: 'What the agent does: hang up, leave `message` after the tone, or go on as with a person.',
        default: 'hangup',
        examples: ['message'],
      }),
    message: sentence
      .optional()
      .meta({ description: 'What the agent leaves. May contain `{{variables}}`.', examples: ['またお電話します。'] }),
  })
  .superRefine(({ action, message }, context) => {
    if (action !== 'message' || message !== undefined) return;
    context.addIssue({ code: 'custom', path: ['message'], message: 'is required for the action message' });
  })
  .meta({ description: 'What to do if a voicemail answers an outbound call. Absent: nothing is detected.' });

const transfer = z
  .strictObject({
    name: text({ min: 1, max: 64 }).meta({
      description: 'The name that the model, the flow and the API use. A model never names a number.',
      examples: ['front_desk'],
    }),
    description: text({ min: 1, max: 1000 }).meta({
      description: 'Who answers there, and when to transfer a call, for the model.',
      examples: ['The front desk. For callers who want to speak to a person.'],
    }),
    to: phoneNumber.meta({ description: 'The number to dial, in E.164 format.', examples: ['+81312345678'] }),
    mode: z
      .enum(transferModes)
      .optional()
      .meta({
        description:
          '`cold`: the caller is connected at once. `warm`: they wait until the person has heard `brief` and accepts.',
        default: 'cold',
        examples: ['warm'],
      }),
    brief: sentence.optional().meta({
      description: '`warm`: what the person who answers hears first. May contain `{{variables}}`.',
      examples: ['{{name}}様から予約のお電話です。'],
    }),
    extension: keys
      .optional()
      .meta({ description: 'Keys to press once it is answered; `w` is a pause of 500 ms.', examples: ['w12'] }),
    ringTimeoutMs: z
      .int()
      .min(5000)
      .max(120_000)
      .optional()
      .meta({ description: 'How long it rings, in milliseconds.', default: 25_000, examples: [25_000] }),
    showCaller: z
      .boolean()
      .optional()
      .meta({
        description: 'Whether the person sees the number of the caller instead of yours.',
        default: false,
        examples: [false],
      }),
  })
  .meta({ description: 'A number that calls can be transferred to.' });

export const phone = z
  .strictObject({
    voicemail: voicemail.optional(),
    transfers: z
      .array(transfer)
      .max(maxTransfers)
      .superRefine((list, context) => {
        const names = new Set<string>();
        for (const [index, { name }] of list.entries()) {
          if (names.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must be unique' });
          names.add(name);
        }
      })
      .optional()
      .meta({ description: 'The numbers that calls can be transferred to.' }),
    recordingNotice: sentence.optional().meta({
      description: 'Said first if the call is recorded. It cannot be interrupted.',
      examples: ['この通話は録音されます。'],
    }),
    optOut: z
      .boolean()
      .optional()
      .meta({
        description: 'Whether a person can ask the agent not to be called again (tool `do_not_call_again`).',
        default: true,
        examples: [true],
      }),
  })
  .meta({ description: 'Settings for phone calls.' });

export type PhoneSettings = z.infer<typeof phone>;
export type TransferSetting = z.infer<typeof transfer>;
