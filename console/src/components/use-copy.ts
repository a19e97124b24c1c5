import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { announce } from './announcer';

/** Copies a text, and says for 1.5 seconds whether that succeeded. A browser can forbid it. */
export function useCopy(): { result: 'Copied' | 'Not copied' | undefined; copy: (text: string) => void } {
  const [result, setResult] = useState<'Copied' | 'Not copied'>();
  const { start } = useTimeout(() => setResult(undefined), 1_500);
  const copy = (text: string): void =>
    void write(text).then((isWritten) => {
      const outcome = isWritten ? 'Copied' : 'Not copied';
      setResult(outcome);
      announce(outcome);
      start();
    });
  return { result, copy };
}

/** Browsers have no `navigator.clipboard` on a page without TLS. */
async function write(text: string): Promise<boolean> {
  if (navigator.clipboard as Clipboard | undefined)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const copy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', copy);
  const isWritten = document.execCommand('copy');
  // A browser that forbids it sends no event. The listener would replace what the reader copies later.
  document.removeEventListener('copy', copy);
  return isWritten;
}
