import { useEffect, useState } from 'react';
import { useLanguage } from '../language/language.tsx';

const everyMs = 10_000;

/** A relative time that counts on while the page is open. */
export function useAgo(at: string): string {
  const { format } = useLanguage();
  // Renders again only if the text differs.
  const [, setShown] = useState('');
  useEffect(() => {
    const timer = setInterval(() => setShown(format.ago(at)), everyMs);
    return () => clearInterval(timer);
  }, [at, format]);
  return format.ago(at);
}
