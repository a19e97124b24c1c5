import { useEffect, useState, type FocusEvent, type PointerEvent, type UIEvent } from 'react';
import type { StoredEvent } from './queries';

/** The way to the button that shows the newer events is not the end of the reading. */
const isInRows = (target: EventTarget): boolean =>
  (target as Element).closest('[role=region], [data-newer]') !== null;

/** Whether the pointer or the focus is in the rows of a table, or its first rows are out of view. The listeners belong around the table. */
function useIsReading() {
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  return {
    isReading: hasPointer || hasFocus || isScrolled,
    stop: () => [setPointer, setFocus, setScrolled].forEach((set) => set(false)),
    listeners: {
      onPointerOver: ({ target }: PointerEvent) => setPointer(isInRows(target)),
      onPointerLeave: () => setPointer(false),
      // A click moves the focus too, and the pointer that leaves does not take it along.
      onFocus: ({ target }: FocusEvent) => setFocus(isInRows(target) && target.matches(':focus-visible')),
      onBlur: () => setFocus(false),
      // React also passes the events of portals on, such as those of a list of views.
      onScrollCapture: ({ target, currentTarget }: UIEvent) => {
        if (currentTarget.contains(target as Node) && isInRows(target))
          setScrolled((target as Element).scrollTop > 0);
      },
    },
  };
}

/**
 * The rows of the live tail. While somebody reads them they stay, because a second later the row under the pointer would be another one.
 * `newer` counts the events that arrived meanwhile. Rows with another key are those of other filters.
 */
export function useHeldRows(latest: StoredEvent[] | undefined, key: string) {
  const { isReading, stop, listeners } = useIsReading();
  const [held, setHeld] = useState({ key, rows: latest });
  const stays = isReading && held.key === key && (held.rows?.length ?? 0) > 0;
  const rows = stays ? held.rows : latest;
  if (held.key !== key || held.rows !== rows) setHeld({ key, rows });
  const hasRows = (rows?.length ?? 0) > 0;
  // A table that comes or goes sends no event.
  useEffect(() => stop(), [hasRows]);
  const known = new Set(rows?.map(({ eventRecordId }) => eventRecordId));
  return {
    rows,
    newer: latest?.filter(({ eventRecordId }) => !known.has(eventRecordId)).length ?? 0,
    show: () => {
      stop();
      setHeld({ key, rows: latest });
    },
    listeners,
  };
}
