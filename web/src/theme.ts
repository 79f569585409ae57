/** Light or dark: the system's choice, unless one was made here. */
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';
const CHANGED = 'cairn-theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

export function themeNow(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return system.matches ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('cairn-theme', theme);
  } catch {
    // It holds until the page is closed.
  }
  window.dispatchEvent(new Event(CHANGED));
}

export function useTheme(): Theme {
  const [theme, setTheme] = useState(themeNow);
  useEffect(() => {
    const changed = () => setTheme(themeNow());
    window.addEventListener(CHANGED, changed);
    system.addEventListener('change', changed);
    return () => {
      window.removeEventListener(CHANGED, changed);
      system.removeEventListener('change', changed);
    };
  }, []);
  return theme;
}
