import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/** A typed text, whose trimmed form goes to the URL shortly after the last key. Without a text it leaves the URL. */
export function useDebouncedText(value = '', onChange: (text: string | undefined) => void, delayMs: number) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  /** What was sent to the URL. The page may be drawn with it only after more keys were typed. */
  const [sent, setSent] = useState<string[]>([]);
  const send = useDebouncedCallback((next: string) => {
    setSent((before) => [...before, next.trim()]);
    onChange(next.trim() || undefined);
  }, delayMs);
  if (value !== known) {
    setKnown(value);
    const place = sent.indexOf(value);
    setSent(place === -1 ? [] : sent.slice(place + 1));
    // The URL changed by other means: the back button, or a link.
    if (place === -1 && value.trim() !== text.trim()) setText(value);
  }
  return { text, setText, send };
}
