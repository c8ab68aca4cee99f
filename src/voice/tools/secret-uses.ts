import { withoutPlaceholders } from '../../contract/agents/settings/tool-url.ts';
import { isObject } from '../../contract/json-object.ts';
import { namesIn } from '../../net/partner/secrets.ts';
import { toolsIn } from '../settings.ts';

/** Every secret that a header of a tool names, once for each header. `index` is that of the tool in the list. */
export function secretUses(settings: unknown) {
  return toolsIn(settings).flatMap(({ index, tool: { url, headers } }) => {
    /** Undefined if the URL is missing or malformed. */
    const host = typeof url === 'string' ? URL.parse(withoutPlaceholders(url))?.hostname : undefined;
    return Object.entries(isObject(headers) ? headers : {}).flatMap(([header, value]) =>
      typeof value === 'string' ? namesIn(value).map((name) => ({ index, header, name, host })) : [],
    );
  });
}
