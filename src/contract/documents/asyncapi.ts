import { z } from 'zod';
import { clientFrames, closeCodes, livePath, liveProtocol, serverFrames } from '../calls/live.ts';
import { interfaceVersion } from '../interface-version.ts';

type Json = Record<string, unknown>;

const closings = Object.values(closeCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`);

const introduction = `The WebSocket of a call, for the caller’s browser or another client. It carries a web call with its audio, or a chat.

**Connect** to the \`liveUrl\` that calls.create and calls.tokens.create return with the token. It is a path, such as \`/live/v1/calls/call_…\`, unless the operator has set the public address of the service: resolve it against the address of the API, with \`ws\` for \`http\` and \`wss\` for \`https\`. Offer the subprotocols \`${liveProtocol}\` and \`token.<access token>\`; the service selects the first. A token can be used to join once. A refused connection gets an ordinary HTTP response with the error body of the API:

| Status | Meaning |
|---|---|
| 400 | The handshake is not valid: \`${liveProtocol}\` is not offered, for example. |
| 401 | The token or the key to resume is not valid, has expired or was used, or the page is not one of its origins. |
| 404 | There is no such call. |
| 409 | The call is over, or is being joined elsewhere. |
| 429 | Too many connections with this token. \`Retry-After\` says when to try again. |
| 503 | The service cannot take the connection now. \`Retry-After\` says when to try again. |

**Then send \`start\`** and wait for \`ready\`. In the first call of a process, it can take a few seconds until speech is loaded. Events can arrive before \`ready\`; audio that is sent before it is discarded. Text frames are JSON objects with a \`type\`; ignore types that you do not know. Binary frames are audio, PCM16LE, mono.

**The caller's audio** is sent in chunks of 20 ms, all the time: silence, too, and zeros while the microphone is muted. The service finds the end of speech in the silence after it. Without audio, it takes 2.5 seconds.

**The agent's audio** is sent as soon as it is generated, up to 3 seconds ahead of playback. All sentences of one turn of the agent are one utterance. \`speech\` precedes its first audio, and binary frames belong to the last \`speech\`. Play utterances one after the other. Report playback with \`played\`, with the samples of the utterance that were played since its start: the service relies on it to know what the caller has heard, and sends more only then. No frame marks the end of an utterance: it is over when the service has sent all of it and \`played\` has reported all of it, which a final \`transcript\` of the agent and \`state\` confirm. \`clear\` ends it before that.

**Numbers of utterances** increase within a call and never repeat, also after a resume and in another process. They are not consecutive, and can have up to 53 bits. \`turn\` of \`transcript\` is the index of a turn in the transcript of the call.

**A lost connection** can be resumed within 30 seconds with the subprotocol \`resume.<resumeKey>\` instead of the token. Send \`start\` again; \`ready\` contains the next key.

- Discard all audio of the agent that was received and not played. Do not report it: reports about utterances before the resume are ignored. What was reported as played counts as heard; the rest is sent again as a new utterance, from the start of the sentence that was cut off.
- Audio of the caller is not expected for the time without a connection. Send what is said from then on.
- Frames of the time without a connection are not sent again, except \`tool_call\` without a result. \`state\` after \`ready\` says who speaks. Read the events that are missing, \`turn_completed\` among them, with calls.events.list (\`GET /api/v1/calls/{id}/events\`), which accepts the access token; \`sequence\` numbers them without gaps.

**Limits.** Frames can be up to 64 KiB. Caller audio can arrive at up to 1.5 times real time, with bursts of up to 8 seconds after a network stall; audio frames shorter than 2.5 ms count as 2.5 ms. At most 200 text frames, and 20 pings and pongs, per second; a message has at most 128 fragments. After a frame that is not valid or exceeds a limit, the service sends \`error\` and the close code, reads nothing more, and cuts the connection within a second.

**Messages** (\`text\`, \`dtmf\`, and \`recognized\` with \`isFinal\`) count towards the rate limit of the access token, 120 per minute, together with its connections and its requests to the API. A message beyond it is not processed: \`error\` with the code \`rate_limited\` says when to try again, and the connection stays open.

**If the API key that created the token is revoked or expires**, the socket is closed with 4401 within a second, and neither the token nor the \`resumeKey\` is accepted any more. The call goes on as if the connection were lost: a web call ends as \`caller_disconnected\` after 30 seconds, unless a token of another key joins it, and a chat stays open for other tokens and for the API.

| Close code | Meaning |
|---|---|
${closings.join('\n')}`;

const nameOf = (type: string) => type.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The wire protocol of `src/contract/calls/live.ts` as an AsyncAPI 3 document. */
export function buildAsyncApi(): Json {
  const schemas: Json = {};
  const fromClient = messagesOf(clientFrames, schemas);
  const fromService = messagesOf(serverFrames, schemas);
  const messages: Json = { ...fromClient, callerAudio: audio('caller'), ...fromService, agentAudio: audio('agent') };
  const inChannel = (names: readonly string[]) => names.map((name) => ({ $ref: `#/channels/call/messages/${name}` }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Voice Agent Service: live calls',
      version: interfaceVersion,
      description: introduction,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      service: { host: 'localhost:8080', protocol: 'ws', description: 'The service; wss behind TLS.' },
    },
    channels: {
      call: {
        address: livePath,
        title: 'A call',
        description: 'The path of the `liveUrl` of a call.',
        parameters: { id: { description: 'The id of the call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] } },
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET', headers: handshake, bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      receive: {
        action: 'receive',
        title: 'From the client',
        summary: 'Messages sent by the client.',
        channel: { $ref: '#/channels/call' },
        security,
        messages: inChannel([...Object.keys(fromClient), 'callerAudio']),
      },
      send: {
        action: 'send',
        title: 'From the service',
        summary: 'Messages sent by the service.',
        channel: { $ref: '#/channels/call' },
        security,
        messages: inChannel([...Object.keys(fromService), 'agentAudio']),
      },
    },
    components: {
      messages,
      schemas,
      securitySchemes: {
        accessToken: {
          type: 'httpApiKey',
          in: 'header',
          name: 'Sec-WebSocket-Protocol',
          description: 'An access token of the call, as the subprotocol `token.<access token>`.',
        },
      },
    },
  };
}

const security = [{ $ref: '#/components/securitySchemes/accessToken' }];

const handshake = {
  type: 'object',
  properties: {
    'Sec-WebSocket-Protocol': {
      type: 'string',
      description: `\`${liveProtocol}\`, and \`token.<access token>\` or \`resume.<resumeKey>\`.`,
      examples: [`${liveProtocol}, token.<access token>`, `${liveProtocol}, resume.<resumeKey>`],
    },
  },
  required: ['Sec-WebSocket-Protocol'],
};

function messagesOf(frames: Readonly<Record<string, z.ZodType>>, schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(frames).map(([type, schema]) => {
      const { $schema: _, $defs: definitions = {}, ...own } = movedReferences(z.toJSONSchema(schema));
      for (const [id, definition] of Object.entries(definitions as Json)) schemas[id] ??= definition;
      const { id, description } = schema.meta() as { readonly id: string; readonly description: string };
      schemas[id] ??= own;
      const message = { name: type, title: type, summary: description };
      return [nameOf(type), { ...message, payload: { $ref: `#/components/schemas/${id}` } }];
    }),
  );
}

function movedReferences(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function audio(whose: 'caller' | 'agent'): Json {
  return {
    name: `${whose} audio`,
    title: `${whose} audio`,
    summary:
      whose === 'caller'
        ? 'A binary frame with the caller’s audio, PCM16LE, mono, at the rate of `input`; 20 ms each.'
        : 'A binary frame with audio of the most recent `speech`, PCM16LE, mono, at the rate of `output`.',
    contentType: 'application/octet-stream',
    payload: { type: 'string', format: 'binary' },
  };
}
