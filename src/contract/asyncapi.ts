import { z } from 'zod';
import { interfaceVersion } from './interface-version.ts';
import { clientFrames, closeCodes, livePath, liveProtocol, serverFrames } from './live.ts';

type Json = Record<string, unknown>;

const closings = Object.values(closeCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`);

const introduction = `The WebSocket of a call, for the caller’s browser or another client. It carries a web call with its audio, or a chat.

**Connect** with the subprotocols \`${liveProtocol}\` and \`token.<access token>\`; calls.create and calls.tokens.create return the token, which can be used to join once. A refused connection gets an ordinary HTTP response (401, 404, 409, 503) with the error body of the API.

**Then send \`start\`** and wait for \`ready\`. Text frames are JSON objects with a \`type\`. Binary frames are audio, PCM16LE, mono: the caller's in chunks of 20 ms, the agent's as soon as it is generated, up to 3 seconds ahead of playback. Report playback with \`played\`: the service relies on it to know what the caller has heard.

**A lost connection** can be resumed within 30 seconds with the subprotocol \`resume.<resumeKey>\` instead of the token. Send \`start\` again; \`ready\` contains the next key.

**Limits.** Frames can be up to 64 KiB. Caller audio can arrive at up to 1.5 times real time, with bursts of up to 8 seconds after a network stall; audio frames shorter than 2.5 ms count as 2.5 ms. At most 200 text frames, and 20 pings and pongs, per second; a message has at most 128 fragments. After a frame that is not valid or exceeds a limit, the service sends \`error\` and the close code, reads nothing more, and cuts the connection within a second.

**Messages** (\`text\`, \`dtmf\`, and \`recognized\` with \`isFinal\`) count towards the rate limit of the access token, 120 per minute, together with its connections and its requests to the API. A message beyond it is not processed: \`error\` with the code \`rate_limited\` says when to try again, and the connection stays open.

**If the API key that created the token is revoked or expires**, the socket is closed with 4401 within a second, and neither the token nor the \`resumeKey\` is accepted any more. The call goes on as if the connection were lost: a web call ends as \`caller_disconnected\` after 30 seconds, unless a token of another key joins it, and a chat stays open for other tokens and for the API.

| Close code | Meaning |
|---|---|
${closings.join('\n')}`;

const nameOf = (type: string) => type.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The wire protocol of `src/contract/live.ts` as an AsyncAPI 3 document. */
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
        description: 'The `liveUrl` of a call.',
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
