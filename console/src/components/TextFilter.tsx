import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const DEBOUNCE_MS = 250;

/** One filter of a list as a text. It goes to the URL shortly after the last key. */
export function TextFilter({
  label,
  value = '',
  onChange,
  width = 170,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  width?: number;
}) {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const send = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), DEBOUNCE_MS);
  // The URL changed by other means: the back button, or a link.
  if (value !== sent) {
    setSent(value);
    if (value !== text.trim()) setText(value);
  }
  return (
    <TextInput
      size="xs"
      w={width}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
    />
  );
}
