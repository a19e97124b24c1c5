import { Portal } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatExactTime, formatRelativeTime } from './format';
import classes from './TipLayer.module.css';

const DELAY_MS = 300;
/** Closer to the upper edge than this, the tip is below its element. */
const ROOM_ABOVE = 40;
/** The most characters of a cell that a tip shows. */
const MOST_TEXT = 500;
/** The space between a tip and the edge of the window. */
const MARGIN = 8;

interface Tip {
  text: string;
  x: number;
  y: number;
  side: 'above' | 'below' | 'right';
}

/**
 * One tip for all elements with `data-tip`, all times, and all cells, links of the side bar and truncated texts. For a time it shows the
 * exact time, and for a clock time also the relative one. If the text of the others is cut off, it shows the whole text. It shows on
 * hover, with the focus, and after a tap on what does nothing else. A tooltip in each cell would be most of the work of a row that scrolls
 * into view.
 */
export function TipLayer() {
  const [tip, setTip] = useState<Tip>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isTouched = false;
    const hide = (): void => {
      clearTimeout(timer);
      setTip(undefined);
    };
    const press = ({ pointerType }: PointerEvent): void => {
      isTouched = pointerType === 'touch';
      hide();
    };
    const show = ({ target, type }: Event): void => {
      hide();
      if (!(target instanceof Element)) return;
      const hasFocus = type === 'focusin';
      // A click moves the focus too, and has hidden the tip.
      if (hasFocus && !target.matches(':focus-visible')) return;
      const element = elementWithTip(target, hasFocus);
      if (!element) return;
      timer = setTimeout(() => {
        setTip({ text: textOf(element), ...placeOf(element) });
      }, DELAY_MS);
    };
    const abort = new AbortController();
    const { signal } = abort;
    const tap = (event: Event): void => {
      if (isTouched && !(event.target as Element).closest(TAPPED)) show(event);
    };
    for (const type of ['pointerover', 'focusin']) document.addEventListener(type, show, { signal });
    document.addEventListener('click', tap, { signal });
    document.addEventListener('pointerdown', press, { signal, capture: true });
    for (const type of ['keydown', 'scroll', 'focusout'])
      document.addEventListener(type, hide, { signal, capture: true });
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, []);
  if (!tip) return null;
  return (
    <Portal>
      <div
        role="tooltip"
        className={classes.tip}
        data-side={tip.side}
        ref={(element) => {
          if (!element || tip.side === 'right') return;
          // A wide tip of an element near the edge stays in the window.
          const half = element.offsetWidth / 2 + MARGIN;
          element.style.left = `${Math.max(half, Math.min(tip.x, window.innerWidth - half))}px`;
        }}
        style={{ left: tip.x, top: tip.y }}
      >
        {tip.text}
      </div>
    </Portal>
  );
}

const TIPS = '[data-tip], time[datetime]';
/** Elements whose text may be cut off. */
const CUT = 'td, nav a, [data-truncate]';
/** Elements that react to a tap themselves. */
const TAPPED = 'a, button, input, label, [data-opens]';

/** The focus is on a cell or on its link, and the pointer is on what the cell contains. */
function elementWithTip(target: Element, hasFocus: boolean): HTMLElement | undefined {
  const element = target.closest<HTMLElement>(`${TIPS}, ${CUT}`);
  if (!element || element.matches(TIPS)) return element ?? undefined;
  const content = hasFocus ? element.querySelector<HTMLElement>(TIPS) : null;
  return content ?? (element.scrollWidth > element.clientWidth ? element : undefined);
}

/** The names of neighboring links would be covered by a tip above a link. */
function placeOf(element: HTMLElement): Omit<Tip, 'text'> {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  if (element.matches('nav a')) return { x: right, y: (top + bottom) / 2, side: 'right' };
  const x = (left + right) / 2;
  return top < ROOM_ABOVE ? { x, y: bottom, side: 'below' } : { x, y: top, side: 'above' };
}

function textOf(element: HTMLElement): string {
  if (element instanceof HTMLTimeElement) {
    const { dateTime, dataset } = element;
    const relative = 'clock' in dataset ? [formatRelativeTime(dateTime, Date.now())] : [];
    return [...relative, formatExactTime(dateTime)].join(' · ');
  }
  return element.dataset['tip'] ?? element.textContent.slice(0, MOST_TEXT);
}
