import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { allowStyleText } from './trusted-types.ts';

allowStyleText();
createRoot(document.getElementById('root') as HTMLElement).render(<App />);
