import type { builtInToolNames } from '../../contract/agents/settings/tools.ts';
import { type ArgumentCheck, compileParameters } from './arguments.ts';
import type { ToolForModel } from './definition.ts';

/** A tool that the service itself carries out. */
export interface BuiltInTool extends ToolForModel {
  readonly name: (typeof builtInToolNames)[number];
  readonly checkArguments: ArgumentCheck;
}

/** The tools that a model has in every call. Only a caller who is listening can be asked to wait. */
export function builtInTools({ isSpoken }: { readonly isSpoken: boolean }): readonly BuiltInTool[] {
  return isSpoken ? [endCall(), wait()] : [endCall()];
}

function endCall(): BuiltInTool {
  return builtIn(
    'end_call',
    'Ends the call. Use it once the conversation is over and you have said goodbye, or if the caller asks you to hang up.',
    { reason: { type: 'string', maxLength: 500, description: 'Why the call ends, for the record.' } },
    [],
  );
}

function wait(): BuiltInTool {
  return builtIn(
    'wait',
    'Waits without speaking. Use it if the caller asks for a moment, such as to look something up. It ends as soon as the caller speaks.',
    { seconds: { type: 'integer', minimum: 1, maximum: 60, description: 'How long to wait, in seconds.' } },
    ['seconds'],
  );
}

function builtIn(
  name: BuiltInTool['name'],
  description: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
): BuiltInTool {
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { name, description, parameters, checkArguments: compileParameters(parameters) };
}
