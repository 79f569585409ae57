/** Sizes, counts and times as people read them. Pure. */

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  // 999.95 kB would be written as 1000.0 kB.
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export function numberText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** `1 file`, `2,000 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** In the time of whoever reads it. */
export function timeText(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** How long something is still to take. */
export function spanText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
