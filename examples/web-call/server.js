/** The server of a shop: serves its page, and creates calls. The API key stays here. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VoiceAgents } from 'voice-agent-sdk';

const port = Number(process.env.SHOP_PORT ?? 3000);
const shopUrl = process.env.SHOP_URL ?? `http://127.0.0.1:${port}`;
const serviceUrl = process.env.VOICE_AGENTS_BASE_URL ?? 'http://127.0.0.1:8080';
const agentId = process.env.AGENT_ID;
if (agentId === undefined) throw new Error('Set AGENT_ID to the id of a published agent.');

// Reads VOICE_AGENTS_API_KEY. A key with the scope calls:write is enough.
const client = new VoiceAgents({ baseUrl: serviceUrl });
const sdkFolder = dirname(fileURLToPath(import.meta.resolve('voice-agent-sdk')));
const liveOrigin = new URL(serviceUrl.replace(/^http/, 'ws')).origin;

/** The page loads scripts from this server only, and connects to this server and the service only. */
const policy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  `connect-src 'self' ${liveOrigin} ${new URL(serviceUrl).origin}`,
].join('; ');

/** Who may call, and how often, is up to the shop: check a session, a captcha or a rate limit here. */
async function createAccess(type) {
  const call = await client.calls.create({
    type: type === 'chat' ? 'chat' : 'web',
    agentId,
    metadata: { source: 'shop' },
    // The token works in pages of this shop only.
    token: { allowedOrigins: [new URL(shopUrl).origin] },
  });
  // Without PUBLIC_URL, the service gives a path.
  const liveUrl = new URL(call.access.liveUrl, liveOrigin).href;
  return { liveUrl, token: call.access.token };
}

async function serveFile(response, file, type) {
  const content = await readFile(file);
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy });
  response.end(content);
}

async function readBody(request) {
  let text = '';
  for await (const part of request) {
    text += part;
    if (text.length > 1000) throw new Error('The body is too large.');
  }
  return JSON.parse(text || '{}');
}

async function respond(request, response) {
  const { pathname } = new URL(request.url, shopUrl);
  if (request.method === 'POST' && pathname === '/call') {
    // Pages of other sites must not start calls at our expense.
    const { origin } = request.headers;
    if (origin !== undefined && origin !== new URL(shopUrl).origin) return void response.writeHead(403).end();
    const { type } = await readBody(request);
    const access = await createAccess(type);
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(access));
  } else if (request.method === 'GET' && pathname === '/') {
    await serveFile(response, join(import.meta.dirname, 'index.html'), 'text/html');
  } else if (request.method === 'GET' && /^\/sdk\/[\w/-]+\.js$/.test(pathname)) {
    await serveFile(response, join(sdkFolder, normalize(pathname.slice('/sdk/'.length))), 'text/javascript');
  } else {
    response.writeHead(404).end();
  }
}

createServer((request, response) => {
  respond(request, response).catch((error) => {
    const isMissing = error.code === 'ENOENT';
    if (!isMissing) console.error(error);
    response.writeHead(isMissing ? 404 : 500).end();
  });
}).listen(port, '127.0.0.1', () => console.log(`The shop is open: ${shopUrl}`));
