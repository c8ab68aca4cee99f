/**
 * A custom LLM server in one file: node examples/custom-llm/server.ts [port]
 * It takes bookings with three questions. Replace `reply` by your own model.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';

interface Request {
  readonly interaction_type: 'ping_pong' | 'call_details' | 'update_only' | 'response_required' | 'reminder_required';
  readonly response_id: number;
  readonly timestamp: number;
  readonly transcript: readonly { readonly role: 'agent' | 'user'; readonly content: string }[];
}

const port = Number(process.argv[2] ?? 9000);
const server = new WebSocketServer({
  port,
  host: '127.0.0.1',
  // Strict mode: the service reports each frame that is wrong.
  handleProtocols: (offered) => (offered.has('voice-agents.llm.v1') ? 'voice-agents.llm.v1' : false),
});
server.on('listening', () => console.log(`ws://127.0.0.1:${(server.address() as { port: number }).port}/llm`));
server.on('connection', serve);

function serve(socket: WebSocket): void {
  /** Only the newest response is wanted. */
  let newest = 0;
  const send = (frame: object): void => socket.send(JSON.stringify(frame));

  const respond = async (id: number, text: string, endCall = false): Promise<void> => {
    for (const word of text.split(/(?<= )/)) {
      if (id !== newest) return;
      send({ response_type: 'response', response_id: id, content: word, content_complete: false });
      // As a model does, a word at a time.
      await wait(20);
    }
    if (id === newest) {
      send({ response_type: 'response', response_id: id, content: '', content_complete: true, end_call: endCall });
    }
  };

  send({ response_type: 'config', config: { auto_reconnect: true, call_details: true } });
  send({ response_type: 'response', response_id: 0, content: 'Hello, how can I help you?', content_complete: true });

  socket.on('message', (data) => {
    const request = JSON.parse(String(data)) as Request;
    switch (request.interaction_type) {
      case 'ping_pong':
        return send({ response_type: 'ping_pong', timestamp: request.timestamp });
      case 'reminder_required':
        newest = request.response_id;
        return void respond(newest, 'Are you still there?');
      case 'response_required': {
        newest = request.response_id;
        const { text, isLast } = reply(request.transcript);
        return void respond(newest, text, isLast);
      }
      default:
        return;
    }
  });
}

const english = {
  goodbye: 'Goodbye!',
  questions: ['For which day?', 'For how many people?', 'Under which name?'],
  booked: 'Thank you, your table is booked.',
};

const japanese = {
  goodbye: 'お電話ありがとうございました。失礼いたします。',
  questions: ['ご予約のお日にちを教えてください。', '何名様でしょうか。', 'お名前をお伺いできますでしょうか。'],
  booked: 'ありがとうございます。お席をご用意いたします。',
};

/** What to say next, from the whole conversation. */
function reply(transcript: Request['transcript']): { text: string; isLast: boolean } {
  const said = transcript.filter(({ role }) => role === 'user').map(({ content }) => content);
  const isJapanese = transcript.some(({ content }) => /[\u3041-\u30ff]/.test(content));
  const { goodbye, questions, booked } = isJapanese ? japanese : english;
  if (/\b(bye|goodbye)\b|さようなら|失礼します/i.test(said.at(-1) ?? '')) return { text: goodbye, isLast: true };
  return { text: questions[said.length - 1] ?? booked, isLast: false };
}
