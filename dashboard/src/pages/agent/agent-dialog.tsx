import { Modal, type ModalProps } from '@mantine/core';
import { useLanguage } from '../../language/language.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';

/** A dialog that is there as long as it is drawn, and whose way out has a name. */
export function AgentDialog(props: Omit<ModalProps, 'opened'>) {
  const { texts } = useLanguage();
  useFocusReturn(true);
  return <Modal opened closeButtonProps={{ 'aria-label': texts.close }} {...props} />;
}
