/** Runs in a thread: a custom LLM server that responds at once, so that what remains is the service's own time. */
import { parentPort } from 'node:worker_threads';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => false });
server.on('listening', () => parentPort?.postMessage((server.address() as { port: number }).port));
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { interaction_type: type, response_id } = JSON.parse(String(data)) as Record<string, unknown>;
    if (type !== 'response_required') return;
    const response = { response_type: 'response', response_id };
    socket.send(JSON.stringify({ ...response, content: 'Of course, ', content_complete: false }));
    socket.send(JSON.stringify({ ...response, content: 'your table is booked.', content_complete: true }));
  });
});
