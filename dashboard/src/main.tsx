// In a cascade layer, so that our own styles take precedence in whatever order the chunks are loaded.
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { announceBackButton } from './back-button.ts';
import { takeSignInCode } from './session/sign-in-link.ts';
import { allowStyleText } from './trusted-types.ts';

// First of all: whatever comes next may look at the URL.
const signInCode = takeSignInCode();
allowStyleText();
announceBackButton();
createRoot(document.getElementById('root') as HTMLElement).render(<App signInCode={signInCode} />);
