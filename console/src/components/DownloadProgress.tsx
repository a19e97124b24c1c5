import { Button } from '@mantine/core';
import { formatBytes } from './format';

/** The bytes that a download has received, on the button that stops it. */
export function DownloadProgress({ bytes, onCancel }: { bytes: number; onCancel: () => void }) {
  return (
    <Button variant="default" onClick={onCancel}>
      <span role="status">{formatBytes(bytes)} – cancel</span>
    </Button>
  );
}
