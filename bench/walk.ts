import { Agent, request } from 'node:http';

/** Walks a list page by page and collects the cursors. */
export async function cursorsOf(order: {
  port: number;
  key: string;
  /** The URL of the first page, with its limit and search. */
  firstPage: string;
  nextPage: (cursor: string) => string;
  maxPages: number;
}): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const cursors: string[] = [];
  try {
    let address = order.firstPage;
    while (cursors.length < order.maxPages) {
      const body = await get(agent, order.port, order.key, address);
      // Searches only the end of the page: parsing hundreds of kilobytes would be a hundred times slower.
      const cursor = /"nextCursor":"([^"]+)"/.exec(body.toString('latin1', Math.max(0, body.length - 8192)))?.[1];
      if (cursor === undefined) break;
      cursors.push(cursor);
      address = order.nextPage(cursor);
    }
  } finally {
    agent.destroy();
  }
  return cursors;
}

function get(agent: Agent, port: number, key: string, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request({ agent, host: '127.0.0.1', port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${path} answered ${response.statusCode}: ${body.toString('utf8', 0, 500)}`));
      });
    })
      .on('error', reject)
      .end();
  });
}
