import { Button } from '@mantine/core';

/** A button in a row of a table. `label`: its name for screen readers, because other rows have the same button. */
export function RowButton({
  label,
  onClick,
  children,
}: {
  label?: string;
  onClick: () => void;
  children: string;
}) {
  return (
    <Button variant="default" size="compact-xs" aria-label={label} onClick={onClick}>
      {children}
    </Button>
  );
}
