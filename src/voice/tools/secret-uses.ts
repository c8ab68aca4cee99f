import { namesIn } from '../../net/partner/secrets.ts';
import { toolsIn } from '../settings.ts';
import { isObject } from './json-schema.ts';

export interface SecretUse {
  /** The index of the tool in the list. */
  readonly index: number;
  readonly header: string;
  readonly name: string;
  /** The host of the tool; undefined if its URL is missing or malformed. */
  readonly host: string | undefined;
}

/** Every secret that a header of a tool names, once for each header. */
export function secretUses(settings: unknown): SecretUse[] {
  return toolsIn(settings).flatMap(({ index, tool: { url, headers } }) => {
    const host = typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
    return Object.entries(isObject(headers) ? headers : {}).flatMap(([header, value]) =>
      typeof value === 'string' ? namesIn(value).map((name) => ({ index, header, name, host })) : [],
    );
  });
}
