import { count } from '../text/format.ts';

export function Pager({
  offset,
  size,
  total,
  onMove,
  unit = '',
}: {
  readonly offset: number;
  readonly size: number;
  readonly total: number;
  readonly onMove: (offset: number) => void;
  readonly unit?: string;
}) {
  if (offset === 0 && total <= size) return null;
  return (
    <nav class="buttons more" aria-label="Pages of the list">
      <button type="button" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - size))}>
        Back
      </button>
      <button type="button" disabled={offset + size >= total} onClick={() => onMove(offset + size)}>
        Next
      </button>
      <span class="note">
        {count(offset + 1)}–{count(Math.min(total, offset + size))} of {count(total)} {unit}
      </span>
    </nav>
  );
}
