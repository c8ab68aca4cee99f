import { NestingError, parseForeignJson } from '../../contract/foreign-json.ts';
import { jsonWithoutSecrets, withoutSecrets } from './echoed-secrets.ts';

/**
 * What a server returned: JSON, whatever the type says, or text; null if it is empty. Without secrets, which JSON may
 * contain as a number, too. Throws a NestingError if it is nested too deep.
 */
export function responseValue(body: string, secrets: readonly string[]): unknown {
  const text = withoutSecrets(body, secrets);
  if (text.trim() === '') return null;
  try {
    return jsonWithoutSecrets(parseForeignJson(text), secrets);
  } catch (error) {
    if (error instanceof NestingError) throw error;
    return text;
  }
}
