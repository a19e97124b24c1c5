/** The dialog or drawer above all others, if one is open. The document has them in the order in which they are drawn. */
export const topmostDialog = (): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('[aria-modal=true]')].at(-1);

/** The attribute of the button that closes a dialog or drawer, which the theme sets. */
export const CLOSES_DIALOG = 'data-closes-dialog';

/**
 * Lets Escape press the close button of the topmost dialog or drawer. Those of Mantine each listen to the key themselves, so that all would
 * close at once, and with them a form that only the topmost one asks about.
 */
export function closeTopmostOnEscape(): void {
  const close = ({ key, isComposing, target }: KeyboardEvent): void => {
    if (key !== 'Escape' || isComposing) return;
    // An open menu or list of choices closes first. Mantine marks what has the focus then.
    if (target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true') return;
    topmostDialog()?.querySelector<HTMLElement>(`[${CLOSES_DIALOG}]`)?.click();
  };
  // Before the menu removes its mark.
  addEventListener('keydown', close, { capture: true });
}
