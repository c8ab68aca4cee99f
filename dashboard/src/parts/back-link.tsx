import { Link } from 'wouter';
import { ChevronRightIcon } from '../icons.tsx';
import classes from './back-link.module.css';

interface BackLinkProps {
  readonly href: string;
  /** The name of the list. */
  readonly children: string;
}

/** Above the title of a page: back to the list that it belongs to. */
export function BackLink({ href, children }: BackLinkProps) {
  return (
    <Link href={href} className={classes.back as string}>
      <ChevronRightIcon size={14} />
      {children}
    </Link>
  );
}
