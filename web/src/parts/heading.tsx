import type { ComponentChildren } from 'preact';

export interface Crumb {
  readonly label: string;
  readonly href: string;
}

/** The top of a page; its title takes the focus when one arrives. */
export function PageHead({
  title,
  lead,
  crumbs = [],
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly crumbs?: readonly Crumb[];
  readonly children?: ComponentChildren;
}) {
  return (
    <header class="page-head">
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="Where this is">
          {crumbs.map(({ label, href }) => (
            <span key={href}>
              <a href={href}>{label}</a> /{' '}
            </span>
          ))}
        </nav>
      )}
      <h1 tabIndex={-1}>{title}</h1>
      {children !== undefined && <div class="buttons">{children}</div>}
      {lead !== undefined && <div class="lead">{lead}</div>}
    </header>
  );
}
