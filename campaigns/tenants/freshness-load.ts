import { workerData } from 'node:worker_threads';
import { Connection } from '../connection.ts';

const { port, key, path, readers } = workerData as { port: number; key: string; path: string; readers: number };

await Promise.all(
  Array.from({ length: readers }, async () => {
    const connection = new Connection(port);
    for (;;) {
      const { status } = await connection.request('GET', path, { key });
      if (status !== 200 && status !== 503) throw new Error(`a read of the load was answered ${status}`);
    }
  }),
);
