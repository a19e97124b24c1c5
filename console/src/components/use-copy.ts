import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';

/** Copies a text, and says so for 1.5 seconds. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), 1_500);
  const copy = (text: string): void =>
    void write(text).then((isWritten) => {
      setCopied(isWritten);
      start();
    });
  return { copied, copy };
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
