import { shortenId } from './format';
import { useCopy } from './use-copy';
import classes from './CopyableId.module.css';

/** A shortened id inside of a link. */
export const ShortId = ({ id }: { id: string }) => <span className={classes.short}>{shortenId(id)}</span>;

/** A shortened id. Hover shows it whole, a click copies it. */
export function CopyableId({ id, whole = false }: { id: string; whole?: boolean }) {
  const shown = whole ? id : shortenId(id);
  const clipboard = useCopy();
  return (
    <button
      type="button"
      className={classes.id}
      data-tip={id}
      aria-label={`${shown}: ${clipboard.result?.toLowerCase() ?? 'copy'}`}
      onClick={(event) => {
        event.stopPropagation();
        clipboard.copy(id);
      }}
    >
      {clipboard.result ?? shown}
    </button>
  );
}
