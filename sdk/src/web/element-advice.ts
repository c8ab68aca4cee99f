import { elementTextNames } from './element-texts.ts';
import type { WebCallError, WebCallErrorCode } from './errors.ts';

/** For the developer of the page: what to change, by the code of the failure. Visitors see a text of their own. */
const advice: Partial<Record<WebCallErrorCode, string>> = {
  access_failed:
    'Set the attribute token-url to a path of your server that responds to a POST with {"liveUrl": …, "token": …}.',
  connection_refused: 'Each POST at token-url must create a new call, and return its liveUrl and token.',
  worklet_blocked: 'Set worklet-url to where your server has voice-agent-sdk/web/worklet.js.',
  insecure_context: 'Serve the page over HTTPS, or set mode="chat".',
  not_supported: 'Set mode="chat" for a conversation in writing.',
  recognition_not_supported: 'Set recognition="service", or mode="chat".',
  recognition_failed: 'Set recognition="service", or mode="chat".',
  speech_unavailable: 'Set recognition="browser" if the sttProvider of the agent is browser, or mode="chat".',
};

/** The cause of a failure with the attribute to set, on the console. */
export function logFailure(error: WebCallError): void {
  console.error(['<voice-agent-call>:', error.message, advice[error.code]].filter(Boolean).join(' '), error);
}

const values: Readonly<Record<string, readonly string[]>> = {
  mode: ['voice', 'chat', 'button'],
  layout: ['inline', 'floating'],
  position: ['left', 'right'],
  recognition: ['service', 'browser'],
  theme: ['light', 'dark'],
};

/** What is wrong with the attributes, on the console: nothing else would say so before a visitor tries to call. */
export function logMistakes(element: Element): void {
  const mistakes = Object.entries(values).flatMap(([name, known]) =>
    (element.getAttribute(name) ?? '')
      .split(/\s+/)
      .filter((value) => value !== '' && !known.includes(value))
      .map((value) => `${name}="${value}" has no meaning. Set ${name} to ${known.join(' or ')}.`),
  );
  if (!element.getAttribute('token-url')) mistakes.push(`The attribute token-url is missing. ${advice.access_failed}`);
  mistakes.push(...labelMistakes(element.getAttribute('labels')));
  for (const mistake of mistakes) console.error(`<voice-agent-call>: ${mistake}`);
}

function labelMistakes(labels: string | null): string[] {
  if (labels === null) return [];
  try {
    const names = Object.keys(JSON.parse(labels) as object).filter((name) => !elementTextNames.includes(name));
    return names.map((name) => `labels has "${name}", which is not a text of the element.`);
  } catch {
    return [`labels is not JSON. Set it to an object such as labels='{"title": "Ask us"}'.`];
  }
}
