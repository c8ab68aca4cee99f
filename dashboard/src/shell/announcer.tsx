import { useEffect, useState } from 'react';

/** Says the title of the next page to those who listen: unlike a page that is loaded, one that is drawn says nothing. */
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
