import { z } from 'zod';

/** Names that versions may get in the future. None has one yet, so that using one is 422, not 400. */
const tagPattern = /^[a-z][a-z0-9_-]{0,19}$/;

const message = 'must be a version number, published or latest';

/** The version of an agent in the body of a request. */
export const agentVersion = z
  .union(
    [
      z.int(message).min(1, message),
      z
        .string(message)
        .regex(tagPattern, message)
        .meta({ examples: ['latest'] }),
    ],
    message,
  )
  .default('published')
  .meta({
    description:
      'The version of the agent: a number, `published` for the newest published version, or `latest` for the newest of all.',
    examples: ['published'],
  });

/** What `agentVersion` names, or undefined if there can be no such version yet. */
export function versionNameOf(given: number | string): number | 'published' | 'latest' | undefined {
  if (typeof given === 'number') return given <= maxVersion ? given : undefined;
  return given === 'published' || given === 'latest' ? given : undefined;
}

/** The maximum in every database column that holds a version. */
const maxVersion = 999_999_999;
