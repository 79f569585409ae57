/** What changes on the server while the page is open: one stream of events for all who want to know. */
import { useEffect, useState } from 'preact/hooks';

export const changeKinds = ['instruction', 'decision', 'document', 'event', 'feedback', 'session', 'other'] as const;
export type ChangeKind = (typeof changeKinds)[number];

type Listener = (kind: ChangeKind) => void;
const listeners = new Set<Listener>();
const watchers = new Set<(connected: boolean) => void>();
let connected = false;

const RETRY_MS = 5_000;
let source: EventSource | undefined;

/**
 * Listens as long as the window is seen: a browser opens few connections to one server, and a row of forgotten windows would
 * hold them all. When it is seen again, everything may have changed.
 */
export function openStream(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      stop();
      return;
    }
    listen();
    changeKinds.forEach(tell);
  });
  if (!document.hidden) listen();
}

function tell(kind: ChangeKind): void {
  for (const listener of listeners) listener(kind);
}

function stop(): void {
  source?.close();
  source = undefined;
  setConnected(false);
}

function listen(): void {
  if (source !== undefined) return;
  const opened = new EventSource('/api/v1/events');
  source = opened;
  opened.addEventListener('open', () => setConnected(true));
  opened.addEventListener('change', (event) => {
    const { kind } = JSON.parse((event as MessageEvent<string>).data) as { kind: ChangeKind };
    tell(kind);
  });
  opened.addEventListener('error', () => {
    setConnected(false);
    // It reconnects by itself after a broken connection, but not after a refusal.
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
    source = undefined;
    setTimeout(() => !document.hidden && listen(), RETRY_MS);
  });
}

function setConnected(now: boolean): void {
  connected = now;
  for (const watcher of watchers) watcher(now);
}

export function useConnected(): boolean {
  const [now, setNow] = useState(connected);
  useEffect(() => {
    watchers.add(setNow);
    // It may have been opened after the first look and before anybody listened.
    setNow(connected);
    return () => void watchers.delete(setNow);
  }, []);
  return now;
}

const SOON_MS = 250;
/** A busy server is not asked for everything at each of its changes. */
const APART_MS = 1500;

/** A number that rises soon after a change of one of the kinds: many changes at once are one. */
export function useChangeCount(kinds: readonly ChangeKind[]): number {
  const [count, setCount] = useState(0);
  const wanted = kinds.join();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = -APART_MS;
    const listener: Listener = (kind) => {
      if (!wanted.split(',').includes(kind) || timer !== undefined) return;
      const wait = Math.max(SOON_MS, last + APART_MS - performance.now());
      timer = setTimeout(() => {
        timer = undefined;
        last = performance.now();
        setCount((before) => before + 1);
      }, wait);
    };
    listeners.add(listener);
    return () => {
      clearTimeout(timer);
      listeners.delete(listener);
    };
  }, [wanted]);
  return count;
}
