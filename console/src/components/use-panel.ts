import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The panel was opened from its list, which is the entry before. A link to a panel has no such entry. */
    isPanel?: boolean;
  }
}

/** What a link to the record of a panel needs, so that the back button closes the panel. */
export const opensPanel = { state: { isPanel: true }, resetScroll: false };

/** A side panel. The search parameter `name` holds the id of its record. */
export function usePanel(name: string) {
  const navigate = useNavigate();
  const { history } = useRouter();
  const id = (useSearch({ strict: false }) as Record<string, string | undefined>)[name];
  const isClosing = useRef(false);
  useEffect(() => {
    isClosing.current = false;
  }, [id]);
  const searchWith = (value: string | undefined) => (before: object) => ({ ...before, [name]: value });
  return {
    id,
    open: (opened: string) => void navigate({ to: '.', search: searchWith(opened), ...opensPanel }),
    close: () => {
      // The browser goes back a moment later, and a second step back would leave the page.
      if (isClosing.current) return;
      isClosing.current = true;
      if (history.location.state.isPanel) history.back();
      else void navigate({ to: '.', search: searchWith(undefined), replace: true, resetScroll: false });
    },
  };
}

/** A side panel with a row of the list. A row that leaves the list while it is open stays open. */
export function useRowPanel<Row>(name: string, rows: Row[] | undefined, rowKey: (row: Row) => string) {
  const { id, open, close } = usePanel(name);
  const [last, setLast] = useState<Row>();
  const isOpened = (row: Row): boolean => rowKey(row) === id;
  const found = rows?.find(isOpened);
  if (found !== undefined && found !== last) setLast(found);
  const row = found ?? (last !== undefined && isOpened(last) ? last : undefined);
  // A link to a row that is not among the loaded rows. Otherwise the panel would open when the row is loaded later.
  const isMissing = id !== undefined && rows !== undefined && row === undefined;
  useEffect(() => {
    if (isMissing) close();
  }, [isMissing]);
  return { row, open: (opened: Row) => open(rowKey(opened)), close };
}
