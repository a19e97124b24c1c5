import { TextInput } from '@mantine/core';
import { useDebouncedText } from './use-debounced-text';
import classes from './Filter.module.css';

const DEBOUNCE_MS = 250;

/** One filter of a list as a text. It goes to the URL shortly after the last key. */
export function TextFilter({
  label,
  value,
  onChange,
  width = 170,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  width?: number;
}) {
  const { text, setText, send } = useDebouncedText(value, onChange, DEBOUNCE_MS);
  return (
    <TextInput
      size="xs"
      w={width}
      label={label}
      classNames={classes}
      placeholder={label}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
    />
  );
}
