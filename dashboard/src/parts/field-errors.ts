import type { AgentFinding, FieldErrors } from '../../../sdk/src/index.ts';

/** For nested fields, the service puts the path into the message: `minSpeed: must be at least 0.5`. */
export function findingsOf(fieldErrors: FieldErrors): readonly AgentFinding[] {
  return Object.entries(fieldErrors).flatMap(([field, messages]) =>
    messages.map((said) => {
      const [, path = '', message = said] = /^([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*): (.*)$/su.exec(said) ?? [];
      return { field, path, message };
    }),
  );
}
