import { Link, useLocation, type LinkProps } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useDestinations, type Destination } from './navigation';
import classes from './SideBar.module.css';

/** The names of all pages. If it collapses, a window below 1280 px shows their icons, and each name as a tip. */
export function SideBar({ collapses = false }: { collapses?: boolean }) {
  const groups = useDestinations();
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    // On a low screen the link of the page may be below the fold.
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  return (
    <nav ref={nav} className={classes.nav} data-collapses={collapses || undefined} aria-label="Pages">
      {groups.map(({ label, items }) => (
        <div key={label ?? ''} className={classes.group}>
          {label && <div className={classes.label}>{label}</div>}
          {items.map((item) => (
            <SideLink key={item.label} {...item} />
          ))}
        </div>
      ))}
    </nav>
  );
}

function SideLink({ label, icon: Icon, link, href, open, exact = false }: Destination) {
  if (href)
    return (
      <a
        className={classes.link}
        href={href}
        target="_blank"
        rel="noreferrer"
        onClick={(event) => {
          // With a modifier, the browser decides which tab or window opens the plain page.
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          open?.();
        }}
      >
        <Icon size={15} aria-hidden />
        {label}
        <ExternalLink size={11} aria-label="opens in a new tab" />
      </a>
    );
  return (
    <Link {...(link as LinkProps)} className={classes.link} activeOptions={{ exact, includeSearch: false }}>
      <Icon size={15} aria-hidden />
      {label}
    </Link>
  );
}
