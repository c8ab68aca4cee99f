import { content as callBack } from '../../../../examples/workflows/call-back.yaml';
import { content as chatChannel } from '../../../../examples/workflows/chat-channel.yaml';
import { content as crm } from '../../../../examples/workflows/crm.yaml';
import { type Definition, definitionIn, type WorkflowValues } from '../../workflows/definition.ts';

export const templateNames = ['chat', 'crm', 'callback', 'blank'] as const;
export type TemplateName = (typeof templateNames)[number];

const blank: Definition = {
  trigger: { event: 'call_analyzed' },
  steps: [{ id: 'request', type: 'http_request', method: 'POST', url: 'https://', body: { callId: '{{call.id}}' } }],
};

const examples: Readonly<Record<Exclude<TemplateName, 'blank'>, Readonly<Record<string, unknown>>>> = {
  chat: chatChannel,
  crm,
  callback: callBack,
};

/** The examples, with a name in the language of the dashboard. */
export function templateNamed(
  name: TemplateName,
  texts: Readonly<Record<TemplateName | 'blankName', string>>,
): WorkflowValues {
  const definition = name === 'blank' ? blank : (definitionIn(examples[name]) ?? blank);
  return { name: name === 'blank' ? texts.blankName : texts[name], description: '', ...definition };
}
