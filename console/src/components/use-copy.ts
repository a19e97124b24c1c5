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
  document.addEventListener(
    'copy',
    (event) => {
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    },
    { once: true },
  );
  return document.execCommand('copy');
}
