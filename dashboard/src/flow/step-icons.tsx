import { Icon } from '../icons.tsx';
import type { SkillType } from './flow.ts';

const paths: Readonly<Record<SkillType, string>> = {
  say: 'M4 4.5h12v8.5H9.5L6 16v-3H4zM7 8.5h6',
  ask: 'M4 4.5h12v8.5H9.5L6 16v-3H4zM8.6 7.4a1.5 1.5 0 1 1 1.9 1.6c-.4.1-.5.4-.5.8M10 11.3v.01',
  choose: 'M4 10h4l4-5h4M8 10l4 5h4M8 10h8M14.5 3.5 16 5l-1.5 1.5M14.5 13.5 16 15l-1.5 1.5',
  branch: 'M10 3.5 16.5 10 10 16.5 3.5 10zM10 7.5v2.8M10 12.6v.01',
  set: 'M5 4.5h10v11L10 12l-5 3.5z',
  tool: 'M12.5 4a3.5 3.5 0 0 0-3.2 5L4 14.3 5.7 16 11 10.7a3.5 3.5 0 0 0 4.8-4.2L13.7 8.6l-2-.3-.3-2L13.5 4.2A3.5 3.5 0 0 0 12.5 4z',
  transfer:
    'M6.2 4.5 7.8 7.5 6.5 8.8c.7 1.6 2 3.1 4 4.1l1.4-1.3 3 1.6c-.2 1.7-1.2 2.6-2.6 2.6-4.6 0-8.8-4.6-8.8-8.7 0-1.5.9-2.5 2.7-2.6zM12 4h4.5v4.5M16.5 4l-5 5',
  answer: 'M10 5.5C8.5 4.2 6.5 4 4 4v11c2.5 0 4.5.2 6 1.5 1.5-1.3 3.5-1.5 6-1.5V4c-2.5 0-4.5.2-6 1.5zM10 5.5v11',
  prompt: 'M10 3.5l1.6 4.9 4.9 1.6-4.9 1.6L10 16.5l-1.6-4.9L3.5 10l4.9-1.6z',
  end: 'M5.5 5.5h9v9h-9z',
};

/** The sign of a type of step. Hidden from screen readers: its name is always next to it. */
export function StepIcon({ type, size = 16 }: { readonly type: string; readonly size?: number }) {
  const path = (paths as Readonly<Record<string, string>>)[type];
  if (path === undefined) return null;
  return (
    <Icon size={size}>
      <path d={path} />
    </Icon>
  );
}
