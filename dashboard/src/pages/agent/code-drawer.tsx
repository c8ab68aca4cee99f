import { Drawer } from '@mantine/core';
import { useLanguage } from '../../language/language.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { CodeOfForm } from './code-of-form.tsx';
import { useAgentTexts } from './texts.ts';
import type { Values } from './values.ts';

/** The code that creates an agent as it is in the form. */
export function CodeDrawer({ values, onClose }: { readonly values: Values; readonly onClose: () => void }) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  useFocusReturn(true);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      title={texts.codeOfForm}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <CodeOfForm target={null} values={values} />
    </Drawer>
  );
}
