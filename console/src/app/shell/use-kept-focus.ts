import { useEffect } from 'react';

const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex]';

/**
 * Moves the focus when the element that has it disappears: a dialog closes, a row is deleted, a page changes. It goes to what opened the
 * dialog, or to the nearest element around that is still there. Without it the next Tab would begin at the top of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The focused element and those around it. In a dialog or menu, then those that had the focus before. */
    let trail: HTMLElement[] = [];

    const follow = ({ target }: Event): void => {
      if (!(target instanceof HTMLElement)) return;
      const path = ancestorsOf(target).filter((element) => element.matches(FOCUSABLE));
      trail = isInPortal(target) ? [...new Set([...path, ...trail])].slice(0, 50) : path;
    };
    const leave = ({ target }: Event): void => {
      if (target instanceof Element && !isInPortal(target)) trail = [];
    };
    const restore = (): void => {
      const [last] = trail;
      if (document.activeElement !== document.body || !last) return;
      // The button of a request in progress.
      if (last.isConnected && last.matches(':disabled')) return;
      const next = trail.find((element) => element.checkVisibility() && !element.matches(':disabled'));
      (next ?? document.querySelector('main'))?.focus({ preventScroll: true });
    };

    const abort = new AbortController();
    const { signal } = abort;
    document.addEventListener('focusin', follow, { signal });
    document.addEventListener('pointerdown', leave, { signal, capture: true });
    const observer = new MutationObserver(restore);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      abort.abort();
      observer.disconnect();
    };
  }, []);
}

function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const { parentElement } = element;
  return parentElement ? [element, ...ancestorsOf(parentElement)] : [element];
}

/** Dialogs and menus are outside of the page in the document. */
const isInPortal = (element: Element): boolean => element.closest('[data-portal]') !== null;
