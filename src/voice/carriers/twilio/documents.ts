/** What the carrier does with a call, as TwiML: the documents that it gets for its requests, and with a redirect. */

const defaultLanguage = 'en-US';
const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

interface MediaDocument {
  readonly streamUrl: string;
  readonly streamStatusUrl: string;
  /** Asked for the next document once the socket is closed. */
  readonly rejoinUrl: string;
  /** Sent with the start of the stream. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Connects the call to our socket, until one of us closes it. */
export function mediaDocument({ streamUrl, streamStatusUrl, rejoinUrl, parameters = {} }: MediaDocument): string {
  const given = Object.entries(parameters).map(([name, value]) => element('Parameter', { name, value }));
  const stream = element('Stream', { url: streamUrl, statusCallback: streamStatusUrl }, ...given);
  return response(element('Connect', {}, stream), redirect(rejoinUrl));
}

/** Refuses a call that was not answered yet: the caller hears that the line is busy. */
export function rejectDocument(): string {
  return response(element('Reject', { reason: 'busy' }));
}

export function hangUpDocument(): string {
  return response(element('Hangup', {}));
}

/** Says a text in the carrier's voice, and hangs up. */
export function sayDocument(text: string, language: string): string {
  return response(say(text, language), element('Hangup', {}));
}

interface DialDocument {
  readonly to: string;
  readonly callerId: string;
  readonly ringTimeoutMs: number;
  /** Asked for the next document once the dialed leg is over; null: the call ends with it. */
  readonly actionUrl: string | null;
  /** Keys that are pressed once the leg is answered; `w` is half a second. */
  readonly extension: string | null;
  /** Gets reports of the leg, of these events. */
  readonly statusUrl: string;
  readonly statusEvents: readonly ('initiated' | 'answered' | 'completed')[];
}

/** Connects the call to another number: a fallback, or a cold transfer. */
export function dialDocument(options: DialDocument): string {
  const { to, callerId, ringTimeoutMs, actionUrl, extension, statusUrl, statusEvents } = options;
  const number = element(
    'Number',
    {
      sendDigits: extension,
      statusCallbackEvent: statusEvents.join(' '),
      statusCallback: statusUrl,
      statusCallbackMethod: 'POST',
    },
    escaped(to),
  );
  const action = { action: actionUrl, method: actionUrl === null ? null : 'POST' };
  return response(element('Dial', { ...action, timeout: wholeSeconds(ringTimeoutMs), callerId }, number));
}

interface BriefDocument {
  /** What a person hears who is asked to take over a call, and how to accept it. */
  readonly text: string;
  readonly language: string;
  /** Gets the key or the words; `readAnswer` reads them. */
  readonly actionUrl: string;
  readonly answerTimeoutMs: number;
}

/** Asks for a key or a word. The address is also asked if there is no answer. */
export function briefDocument({ text, language, actionUrl, answerTimeoutMs }: BriefDocument): string {
  const gathering = {
    input: 'dtmf speech',
    action: actionUrl,
    actionOnEmptyResult: 'true',
    method: 'POST',
    timeout: wholeSeconds(answerTimeoutMs),
    speechTimeout: 'auto',
    numDigits: '1',
    language: regional(language),
  };
  return response(element('Gather', gathering, say(text, language)), element('Hangup', {}));
}

interface ConferenceDocument {
  /** Without personal data: the carrier keeps it. */
  readonly name: string;
  /** Asked for the next document once the conference is over for this call; null: the call ends with it. */
  readonly actionUrl?: string | null;
}

/** Puts a call into a conference, which ends with the first who hangs up. Nothing is played to the one who comes first. */
export function conferenceDocument({ name, actionUrl = null }: ConferenceDocument): string {
  const settings = {
    beep: 'false',
    startConferenceOnEnter: 'true',
    endConferenceOnExit: 'true',
    waitUrl: '',
    maxParticipants: '2',
  };
  const action = { action: actionUrl, method: actionUrl === null ? null : 'POST' };
  return response(element('Dial', action, element('Conference', settings, escaped(name))));
}

/** Silence for some seconds, then a request for the next document. */
export function pauseThenRedirect(url: string, seconds: number): string {
  return response(element('Pause', { length: String(seconds) }), redirect(url));
}

/** Continues with the document of another address. */
export function redirectDocument(url: string): string {
  return response(redirect(url));
}

function redirect(url: string): string {
  return element('Redirect', { method: 'POST' }, escaped(url));
}

function say(text: string, language: string): string {
  return element('Say', { language: regional(language) }, escaped(text));
}

/** The carrier knows languages with a region only: `ja-JP` for `ja`. */
function regional(language: string): string {
  try {
    const { language: primary, region } = new Intl.Locale(language).maximize();
    return region === undefined ? defaultLanguage : `${primary}-${region}`;
  } catch {
    return defaultLanguage;
  }
}

function wholeSeconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)));
}

function response(...verbs: string[]): string {
  return declaration + element('Response', {}, ...verbs);
}

/** Attributes that are null are left out. */
function element(name: string, attributes: Readonly<Record<string, string | null>>, ...children: string[]): string {
  const written = Object.entries(attributes)
    .map(([attribute, value]) => (value === null ? '' : ` ${attribute}="${escapedAttribute(value)}"`))
    .join('');
  const content = children.join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** What XML 1.0 has no notation for: most control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
const unwritable = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

function escaped(text: string): string {
  return text
    .replace(unwritable, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;');
}

function escapedAttribute(value: string): string {
  return escaped(value).replaceAll('"', '&quot;').replaceAll('\t', '&#x9;').replaceAll('\n', '&#xA;');
}
