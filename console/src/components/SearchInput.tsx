import { CloseButton, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { topmostDialog } from './dialogs';
import { useDebouncedText } from './use-debounced-text';
import classes from './Filter.module.css';

const DEBOUNCE_MS = 80;

/**
 * A search text that goes to the URL shortly after the last key, or with Enter only. The key `/` moves the focus here.
 */
export function SearchInput({
  label,
  value,
  onChange,
  onEnterOnly = false,
  width = 300,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** For a search that should be sent once, as a whole. */
  onEnterOnly?: boolean;
  width?: number;
}) {
  const { text, setText, send } = useDebouncedText(value, onChange, DEBOUNCE_MS);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.target as Element).closest('input, textarea, [contenteditable]') || topmostDialog()) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);

  const change = (next: string): void => {
    setText(next);
    if (!onEnterOnly || next === '') send(next);
  };
  return (
    <TextInput
      ref={input}
      size="xs"
      w={width}
      maw="100%"
      type="search"
      label={label}
      classNames={classes}
      placeholder={label}
      leftSection={<Search size={14} />}
      rightSection={
        text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => change('')} />
      }
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && onEnterOnly && onChange(text.trim() || undefined)}
    />
  );
}
