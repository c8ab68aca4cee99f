/** The reader of the output has gone, as `head` does when it has enough. That is not an error. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** Writes, and waits for a reader that is slower. */
export async function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error == null) resolve();
      else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new ReaderGoneError() : error);
    });
  });
}

/** Without somebody who listens, the issue would end the process with a stack. `print` tells those who write. */
export function expectReadersToGo(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
