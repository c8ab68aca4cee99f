import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#eaf3fc',
  '#d3e5f8',
  '#a6cbf1',
  '#76afe9',
  '#4c96e1',
  '#2780d8',
  '#0b6bcb',
  '#095cb0',
  '#074d93',
  '#063d75',
];
/** Neutral grays with a touch of blue. */
const dark: MantineColorsTuple = [
  '#e6e9ee',
  '#c9ced6',
  '#a3abb8',
  '#7d8695',
  '#39414d',
  '#2b323c',
  '#20262e',
  '#171b21',
  '#12161b',
  '#0c0f13',
];
const systemFonts =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Hiragino Sans', 'Noto Sans JP', 'Noto Sans CJK JP', 'Yu Gothic UI', Meiryo, sans-serif";

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  colors: { accent, dark },
  black: '#171b21',
  fontFamily: systemFonts,
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: { fontFamily: systemFonts, fontWeight: '600' },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    InputWrapper: { styles: { label: { fontWeight: 550, marginBottom: 4 }, description: { marginBottom: 6 } } },
    Button: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45, blur: 2 } },
      styles: { title: { fontWeight: 600, fontSize: '1rem' } },
    },
    // A header outside of the page's landmarks would be the banner of the whole page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Drawer: { styles: { title: { fontWeight: 600, fontSize: '1rem' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200, events: { hover: true, focus: true, touch: true } } },
  },
});

/** Mantine's muted colors have too little contrast: these have at least 4.5:1. */
export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6472',
    '--mantine-color-placeholder': '#6b7482',
    '--mantine-color-error': '#c22525',
    '--mantine-color-default-border': '#d5dae1',
    '--mantine-color-anchor': 'var(--mantine-color-accent-7)',
    '--app-canvas': '#f7f8fa',
    '--app-surface': '#ffffff',
    '--app-line': '#e4e7ec',
    '--app-hover': '#f2f5f9',
    '--app-active': '#e9f2fc',
    '--app-accent-text': '#095cb0',
    '--app-good': '#18794e',
    '--app-warn': '#8f5a00',
    '--app-bad': '#c22525',
    '--app-plot-1': '#0b6bcb',
    '--app-plot-2': '#b7791f',
    '--app-plot-3': '#c22525',
    '--app-plot-4': '#18794e',
    '--app-plot-5': '#7c4dbd',
    '--app-plot-6': '#0e7c86',
    '--app-plot-7': '#b3397a',
  },
  dark: {
    '--mantine-color-body': '#12161b',
    '--mantine-color-dimmed': '#9aa3b1',
    '--mantine-color-placeholder': '#8b94a3',
    '--mantine-color-error': '#ff8080',
    '--mantine-color-default-border': '#343c47',
    '--mantine-color-anchor': '#76afe9',
    '--app-canvas': '#0e1116',
    '--app-surface': '#151a20',
    '--app-line': '#262d36',
    '--app-hover': '#1c222a',
    '--app-active': '#13283e',
    '--app-accent-text': '#8fc1f3',
    '--app-good': '#4cc38a',
    '--app-warn': '#f0b45a',
    '--app-bad': '#ff8080',
    '--app-plot-1': '#4c96e1',
    '--app-plot-2': '#f0b45a',
    '--app-plot-3': '#ff8080',
    '--app-plot-4': '#4cc38a',
    '--app-plot-5': '#b794f0',
    '--app-plot-6': '#4fc3cf',
    '--app-plot-7': '#f08cc0',
  },
});
