import { Alert, Button, FileButton, List, Loader, Text, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { LockIcon, PlusIcon } from '../../icons.tsx';
import { acceptedFiles } from '../../knowledge/documents.ts';
import { filesOf } from '../../knowledge/upload.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useScope } from '../../session/use-session.ts';
import classes from './knowledge.module.css';
import { documentTexts } from './texts.ts';
import type { Uploads } from './use-uploads.ts';

interface FilesProps {
  readonly onFiles: (files: readonly File[]) => void;
}

/** Takes files that are dropped anywhere on the page, and says so while they are dragged. */
export function DropArea({ onFiles }: FilesProps) {
  const { dropHere } = useTexts(documentTexts);
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Otherwise the browser opens the file.
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      // Without a next element, the pointer has left the window.
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      setIsOver(false);
      if (event.dataTransfer === null || !hasFiles(event)) return;
      event.preventDefault();
      take.current(filesOf(event.dataTransfer));
    };
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener('dragover', over, { signal });
    window.addEventListener('dragleave', leave, { signal });
    window.addEventListener('drop', drop, { signal });
    return () => controller.abort();
  }, []);
  return isOver && <div className={classes.drop}>{dropHere}</div>;
}

export function UploadButton({ onFiles }: FilesProps) {
  const { upload } = useTexts(documentTexts);
  const { isAllowed, reason } = useScope('knowledge:write');
  const reset = useRef<() => void>(null);
  if (!isAllowed) {
    return (
      <Tooltip label={reason}>
        <Button data-disabled aria-disabled="true" leftSection={<LockIcon size={16} />}>
          {upload}
          <span className="visually-hidden"> ({reason})</span>
        </Button>
      </Tooltip>
    );
  }
  const choose = (files: File[]) => {
    onFiles(files);
    // So that the same file can be chosen again.
    reset.current?.();
  };
  return (
    <FileButton multiple accept={acceptedFiles} resetRef={reset} onChange={choose}>
      {(props) => (
        <Button {...props} leftSection={<PlusIcon size={16} />}>
          {upload}
        </Button>
      )}
    </FileButton>
  );
}

/** The file on its way, and those that could not be sent. */
export function UploadProgress({ uploads: { current, failed, dismiss } }: { readonly uploads: Uploads }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(documentTexts);
  return (
    <>
      {current !== null && (
        <Text size="sm" mb="sm" role="status">
          <Loader size={14} mr="xs" />
          {texts.uploading(current)}
        </Text>
      )}
      {failed.length > 0 && (
        <Alert
          color="red"
          role="alert"
          mb="md"
          title={texts.failedUploads}
          withCloseButton
          closeButtonLabel={shared.close}
          onClose={dismiss}
        >
          <List size="sm">
            {failed.map(({ name, reason }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same file may fail twice.
              <List.Item key={index}>
                {name}
                {shared.colon}
                {reason}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}
