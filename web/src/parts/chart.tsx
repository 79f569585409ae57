/** Small charts, drawn as SVG; each has its figures as text too. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly shown: string;
  readonly href?: string;
  readonly tone?: 'accent' | 'bad';
}

/** Labels on the left, bars, figures on the right. */
export function Bars({ bars, label }: { readonly bars: readonly Bar[]; readonly label: string }) {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value));
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {bars.map(({ label: name, value, shown, href, tone = 'accent' }) => (
          <tr key={name}>
            <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
            <td class="bar" aria-hidden="true">
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" role="presentation">
                <rect class={tone} width={Math.max(0.6, (value / most) * 100)} height="8" rx="1" />
              </svg>
            </td>
            <td class="number">{shown}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export interface Point {
  readonly label: string;
  readonly value: number;
}

const HEIGHT = 56;

/** Columns over time. */
export function Columns({ points, label }: { readonly points: readonly Point[]; readonly label: string }) {
  const most = Math.max(1, ...points.map(({ value }) => value));
  const width = 100 / Math.max(1, points.length);
  const total = points.reduce((sum, { value }) => sum + value, 0);
  return (
    <figure class="columns">
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${total}`}>
        {points.map(({ label: name, value }, index) => {
          const height = value === 0 ? 1 : Math.max(3, (value / most) * HEIGHT);
          return (
            <rect
              key={name}
              class={value === 0 ? 'none' : 'accent'}
              x={index * width + width * 0.1}
              y={HEIGHT - height}
              width={width * 0.8}
              height={height}
            >
              <title>{`${name}: ${value}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{points[0]?.label}</span>
        <span>{points.at(-1)?.label}</span>
      </figcaption>
    </figure>
  );
}
