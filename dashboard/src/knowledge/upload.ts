import type { VoiceAgents } from '../../../sdk/src/index.ts';

/** Creates a document for a file and sends its bytes. A document that would wait for them in vain is removed. */
export async function uploadFile({ documents }: VoiceAgents, baseId: string, file: File): Promise<void> {
  const { id, upload } = await documents.create(baseId, { file: { name: file.name, sizeBytes: file.size } });
  if (upload === null) return;
  try {
    // The page may connect to its own origin only, which serves the same paths as the public address.
    const { pathname, search } = new URL(upload.url, location.origin);
    const response = await fetch(pathname + search, { method: 'PUT', body: file });
    if (!response.ok) throw new Error(await messageOf(response));
  } catch (error) {
    await documents.delete(baseId, id).catch(() => {});
    throw error;
  }
}

async function messageOf(response: Response): Promise<string> {
  const body: { error?: { message?: string } } = await response.json().catch(() => ({}));
  return body.error?.message ?? String(response.status);
}

/** The files of a drop, without folders, which a browser does not read as files. */
export function filesOf({ items, files }: DataTransfer): readonly File[] {
  const entries = [...items].filter(({ kind }) => kind === 'file');
  if (entries.length === 0) return [...files];
  return entries.flatMap((item) => (item.webkitGetAsEntry()?.isDirectory ? [] : (item.getAsFile() ?? [])));
}
