import { type endingToolNames, phoneToolNames } from '../../contract/agents/settings/tools.ts';
import { type ArgumentCheck, compileParameters } from './arguments.ts';
import type { CallableTool, ToolForModel } from './definition.ts';

/** A tool that ends the reply. */
export interface EndingTool extends ToolForModel {
  readonly name: (typeof endingToolNames)[number];
  readonly checkArguments: ArgumentCheck;
}

export type PhoneToolName = (typeof phoneToolNames)[number];

/** What the tools of a phone call depend on. */
export interface PhoneToolOptions {
  readonly transfers: readonly { readonly name: string; readonly description: string }[];
  readonly hasOptOut: boolean;
}

/** The tools that end the reply of a model. Only a caller who is listening can be asked to wait. */
export function endingTools({ isSpoken }: { readonly isSpoken: boolean }): readonly EndingTool[] {
  return isSpoken ? [endCall(), wait()] : [endCall()];
}

/** The tools of a phone call. Their results are returned to the model, like those of the agent's own tools. */
export function phoneTools({ transfers, hasOptOut }: PhoneToolOptions): readonly CallableTool[] {
  return [
    ...(transfers.length > 0 ? [transferCall(transfers)] : []),
    phoneTool(
      'press_keys',
      'Presses keys of the phone, for a menu at the other end. Use it only if a recorded voice asks for keys.',
      { digits: { type: 'string', pattern: '^[0-9*#A-Dw]{1,50}$', description: 'The keys; w is a pause of 500 ms.' } },
      ['digits'],
    ),
    ...(hasOptOut
      ? [phoneTool('do_not_call_again', 'Call it if the person asks not to be called again. Then confirm it.', {}, [])]
      : []),
  ];
}

export function isPhoneTool(name: string): name is PhoneToolName {
  return (phoneToolNames as readonly string[]).includes(name);
}

/** The model chooses an entry, and never a number: nobody can talk it into dialing one. */
function transferCall(transfers: PhoneToolOptions['transfers']): CallableTool {
  const lines = transfers.map(({ name, description }) => `- ${name}: ${description}`);
  return phoneTool(
    'transfer_call',
    [
      'Transfers the call. Tell the caller first, in the same reply. If it fails, the conversation goes on. To:',
      ...lines,
    ].join('\n'),
    { name: { enum: transfers.map(({ name }) => name), description: 'Where to.' } },
    ['name'],
  );
}

function endCall(): EndingTool {
  return builtIn(
    'end_call',
    'Ends the call. Use it once the conversation is over and you have said goodbye, or if the caller asks you to hang up.',
    { reason: { type: 'string', maxLength: 500, description: 'Why the call ends, for the record.' } },
    [],
  );
}

function wait(): EndingTool {
  return builtIn(
    'wait',
    'Waits without speaking. Use it if the caller asks for a moment, such as to look something up. It ends as soon as the caller speaks.',
    { seconds: { type: 'integer', minimum: 1, maximum: 60, description: 'How long to wait, in seconds.' } },
    ['seconds'],
  );
}

function phoneTool(...[name, description, properties, required]: Parameters<typeof builtIn<PhoneToolName>>) {
  return { ...builtIn(name, description, properties, required), say: [] };
}

function builtIn<Name extends string>(
  name: Name,
  description: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
) {
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { name, description, parameters, checkArguments: compileParameters(parameters) };
}
