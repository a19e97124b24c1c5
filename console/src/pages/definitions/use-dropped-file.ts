import { useEffect, useEffectEvent, useState } from 'react';

/**
 * Calls the listener with a file that is dropped anywhere on the page. Returns whether a file is over the page. Without a listener,
 * nothing happens to the file.
 */
export function useDroppedFile(onFile: ((file: File) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  const receive = useEffectEvent((file: File) => onFile?.(file));
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      // Without this the browser opens the file.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) receive(file);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  }, []);
  return isOver && onFile !== undefined;
}
