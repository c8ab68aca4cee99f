import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { maxFileBytes } from '../../knowledge/documents.ts';
import { uploadFile } from '../../knowledge/upload.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useClient } from '../../session/use-session.ts';
import { documentTexts } from './texts.ts';

export interface Uploads {
  /** The name of the file on its way. */
  readonly current: string | null;
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
  readonly add: (files: readonly File[]) => void;
  readonly dismiss: () => void;
}

/** Sends files one after the other: more at once would not be faster on the same connection. */
export function useUploads(baseId: string): Uploads {
  const client = useClient();
  const queryClient = useQueryClient();
  const { texts: shared } = useLanguage();
  const texts = useTexts(documentTexts);
  const [current, setCurrent] = useState<string | null>(null);
  const [failed, setFailed] = useState<Uploads['failed']>([]);
  const queue = useRef(Promise.resolve());
  const send = async (file: File) => {
    setCurrent(file.name);
    try {
      if (file.size > maxFileBytes) throw new Error(texts.tooLarge);
      await uploadFile(client, baseId, file);
    } catch (error) {
      const { title, advice } = describeError(error, shared);
      const reason = title === shared.failed ? advice : title;
      setFailed((before) => [...before, { name: file.name, reason }]);
    } finally {
      setCurrent(null);
      queryClient.invalidateQueries({ queryKey: ['knowledge'] });
    }
  };
  const add = (files: readonly File[]) => {
    for (const file of files) queue.current = queue.current.then(() => send(file));
  };
  return { current, failed, add, dismiss: useCallback(() => setFailed([]), []) };
}
