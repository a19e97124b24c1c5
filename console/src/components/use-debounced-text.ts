import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/** A typed text, whose trimmed form goes to the URL shortly after the last key. */
export function useDebouncedText(value: string, onChange: (text: string) => void, delayMs: number) {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const send = useDebouncedCallback((next: string) => onChange(next.trim()), delayMs);
  // The URL changed by other means: the back button, or a link.
  if (value !== sent) {
    setSent(value);
    if (value.trim() !== text.trim()) setText(value);
  }
  return { text, setText, send };
}
