import { Modal, type ModalProps } from '@mantine/core';
import { useLanguage } from '../../language/language.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';

/** A dialog that is open while it is rendered, with a labelled close button. */
export function AgentDialog(props: Omit<ModalProps, 'opened'>) {
  const { texts } = useLanguage();
  useFocusReturn(true);
  return <Modal opened closeButtonProps={{ 'aria-label': texts.close }} {...props} />;
}
