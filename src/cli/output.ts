/** The reader has closed the pipe, as `head` does. This is not an error. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** Writes, and waits for slow readers. */
export async function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error == null) resolve();
      else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new ReaderGoneError() : error);
    });
  });
}

/** An unhandled EPIPE would crash the process. `print` reports it to the writer instead. */
export function expectReadersToGo(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
