import { shortenId } from './format';
import { useCopy } from './use-copy';
import classes from './CopyableId.module.css';

interface IdProps {
  id: string;
  /** What the id stands for, which is shown in its place. */
  name?: string | undefined;
}

/** A long name may be cut off. */
const tipOf = ({ id, name }: IdProps): string => (name === undefined ? id : `${name} · ${id}`);

/** A shortened id inside of a link, or the name of what it stands for. Hover shows the id whole. */
export const ShortId = ({ id, name }: IdProps) => (
  <span className={name === undefined ? classes.short : undefined} data-tip={tipOf({ id, name })}>
    {name ?? shortenId(id)}
  </span>
);

/** A shortened id, or the name of what it stands for. Hover shows the id whole, a click copies it. */
export function CopyableId({ id, name, whole = false }: IdProps & { whole?: boolean }) {
  const shown = name ?? (whole ? id : shortenId(id));
  const copy = name === undefined ? 'copy' : 'copy the id';
  const clipboard = useCopy();
  return (
    <button
      type="button"
      className={classes.id}
      data-named={name !== undefined || undefined}
      data-tip={tipOf({ id, name })}
      aria-label={`${shown}: ${clipboard.result?.toLowerCase() ?? copy}`}
      onClick={(event) => {
        event.stopPropagation();
        clipboard.copy(id);
      }}
    >
      {clipboard.result ?? shown}
    </button>
  );
}
