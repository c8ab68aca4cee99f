import { useEffect, useState } from 'react';

/** Announces the title of the next page to screen readers, which client-side navigation does not do by itself. */
export function Announcer() {
  const [title, setTitle] = useState('');
  useEffect(() => {
    const observer = new MutationObserver(() => setTitle(document.title));
    observer.observe(document.head, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  return (
    <span className="visually-hidden" role="status">
      {title}
    </span>
  );
}
